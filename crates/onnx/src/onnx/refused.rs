//! Operators of ONNX that are not supported, and why.

/// Names of operators, and why they are not supported.
pub(crate) const REFUSED: &[(&[&str], &str)] = &[
    (
        &["If", "Loop", "Scan", "SequenceMap"],
        "which runs graphs of its own",
    ),
    (
        &[
            "RegexFullMatch",
            "StringConcat",
            "StringNormalizer",
            "StringSplit",
            "TfIdfVectorizer",
            "LabelEncoder",
        ],
        "which takes strings",
    ),
    (
        &[
            "ConcatFromSequence",
            "SequenceAt",
            "SequenceConstruct",
            "SequenceEmpty",
            "SequenceErase",
            "SequenceInsert",
            "SequenceLength",
            "SplitToSequence",
        ],
        "which takes sequences",
    ),
    (
        &["Optional", "OptionalGetElement", "OptionalHasElement"],
        "which takes optional values",
    ),
    (
        &[
            "CausalConvWithState",
            "Conv",
            "ConvInteger",
            "ConvTranspose",
            "DeformConv",
            "QLinearConv",
        ],
        "a convolution",
    ),
    (
        &[
            "AveragePool",
            "LpPool",
            "MaxPool",
            "MaxRoiPool",
            "MaxUnpool",
            "RoiAlign",
            "Col2Im",
        ],
        "which pools or folds windows",
    ),
    (
        &["GridSample", "Resize", "Upsample"],
        "which interpolates between elements",
    ),
    (
        &["GRU", "LSTM", "RNN", "LinearAttention"],
        "which is recurrent",
    ),
    (
        &["NonMaxSuppression", "NonZero", "Unique"],
        "whose result's shape depends on elements that the device computes",
    ),
    (
        &[
            "Bernoulli",
            "Multinomial",
            "RandomNormal",
            "RandomNormalLike",
            "RandomUniform",
            "RandomUniformLike",
        ],
        "which takes random numbers",
    ),
    (&["DFT", "Det", "MelWeightMatrix", "STFT"], "a transform"),
    (&["ImageDecoder"], "which decodes images"),
];
