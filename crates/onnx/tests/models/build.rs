//! Builds models from a few words.

use prost::Message as _;
use zerostride::{Context, DType, Element, Error, HostTensor, Result, Tensor};
use zerostride_onnx::Model;
use zerostride_onnx::proto::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto,
    TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

/// A graph of nodes.
#[derive(Clone, Debug, Default)]
pub struct Built(pub ModelProto);

pub fn model(opset: i64) -> Built {
    Built(ModelProto {
        ir_version: 10,
        opset_import: vec![import("", opset)],
        graph: Some(GraphProto::default()),
        ..Default::default()
    })
}

/// A model of one node on `x`, of f32 `[2, 3]`.
pub fn of(call: &str) -> Built {
    model(21)
        .input("x f32 2 3")
        .output("y f32 2 3")
        .node(call, &[])
}

pub fn import(domain: &str, version: i64) -> OperatorSetIdProto {
    OperatorSetIdProto {
        domain: domain.into(),
        version,
    }
}

impl Built {
    pub fn graph(&mut self) -> &mut GraphProto {
        self.0.graph.get_or_insert_default()
    }

    /// An input or output: `name f32 2 N ?`.
    pub fn input(mut self, text: &str) -> Self {
        self.graph().input.push(value(text));
        self
    }

    pub fn output(mut self, text: &str) -> Self {
        self.graph().output.push(value(text));
        self
    }

    /// A node: `Op a b -> c d`, where `_` is left out.
    pub fn node(self, text: &str, attributes: &[AttributeProto]) -> Self {
        let mut built = self;
        built.graph().node.push(node(text, attributes));
        built
    }

    pub fn constant<T: Element>(mut self, name: &str, dims: &[i64], elements: &[T]) -> Self {
        self.graph().initializer.push(tensor(name, dims, elements));
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.encode_to_vec()
    }

    pub fn load(&self) -> Result<Model> {
        Model::load(&self.bytes())
    }

    /// The error of loading and binding it, as text.
    pub fn error(&self) -> String {
        let bound = self.load().and_then(|model| model.bind(&[]).map(|_| ()));
        bound.expect_err("it is refused").to_string()
    }

    /// Its outputs.
    pub fn run(&self, inputs: &[(&str, HostTensor)]) -> Result<Vec<HostTensor>> {
        let context = context();
        let uploaded: Vec<(&str, Tensor)> = inputs
            .iter()
            .map(|(name, host)| Ok((*name, context.tensor_from_host(host)?)))
            .collect::<Result<_>>()?;
        let given: Vec<(&str, &Tensor)> = uploaded.iter().map(|(name, x)| (*name, x)).collect();
        let outputs = self.load()?.session(&context).run(&given)?;
        outputs.iter().map(|(_, x)| x.to_host_blocking()).collect()
    }
}

pub fn context() -> Context {
    Context::builder().from_env().request_blocking().unwrap()
}

pub fn node(text: &str, attributes: &[AttributeProto]) -> NodeProto {
    let (call, outputs) = text.split_once("->").unwrap();
    let name = |word: &str| {
        if word == "_" {
            String::new()
        } else {
            word.into()
        }
    };
    let mut words = call.split_whitespace();
    let operator = words.next().unwrap();
    let (domain, op_type) = operator.split_once("::").unwrap_or(("", operator));
    NodeProto {
        name: format!("the_{}", op_type.to_lowercase()),
        op_type: op_type.into(),
        domain: domain.into(),
        input: words.map(name).collect(),
        output: outputs.split_whitespace().map(name).collect(),
        attribute: attributes.to_vec(),
        ..Default::default()
    }
}

pub fn value(text: &str) -> ValueInfoProto {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap().to_owned();
    let dtype: DType = words.next().unwrap().parse().unwrap();
    let dim = |word: &str| DimensionProto {
        dim_value: word.parse().ok(),
        dim_param: (word != "?" && word.parse::<i64>().is_err()).then(|| word.into()),
    };
    let tensor = TensorTypeProto {
        elem_type: dtype.onnx(),
        shape: Some(TensorShapeProto {
            dim: words.map(dim).collect(),
        }),
    };
    ValueInfoProto {
        name,
        r#type: Some(TypeProto {
            tensor_type: Some(tensor),
            ..Default::default()
        }),
    }
}

pub fn tensor<T: Element>(name: &str, dims: &[i64], elements: &[T]) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: dims.to_vec(),
        data_type: T::DTYPE.onnx(),
        raw_data: Some(T::to_bytes(elements).into_owned()),
        ..Default::default()
    }
}

fn attribute(name: &str, r#type: i32) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        r#type,
        ..Default::default()
    }
}

pub fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto {
        i,
        ..attribute(name, 2)
    }
}

pub fn float(name: &str, f: f32) -> AttributeProto {
    AttributeProto {
        f,
        ..attribute(name, 1)
    }
}

pub fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto {
        ints: ints.to_vec(),
        ..attribute(name, 7)
    }
}

pub fn text(name: &str, s: &str) -> AttributeProto {
    AttributeProto {
        s: s.into(),
        ..attribute(name, 3)
    }
}

pub fn array(name: &str, t: TensorProto) -> AttributeProto {
    AttributeProto {
        t: Some(t),
        ..attribute(name, 4)
    }
}

/// An attribute that takes the value of an attribute of the enclosing function.
pub fn refers(name: &str, to: &str, r#type: i32) -> AttributeProto {
    AttributeProto {
        ref_attr_name: to.into(),
        ..attribute(name, r#type)
    }
}

pub fn host<T: Element>(shape: &[usize], elements: &[T]) -> HostTensor {
    HostTensor::new(T::DTYPE, shape, T::to_bytes(elements).into_owned()).unwrap()
}

pub fn elements<T: Element>(host: &HostTensor) -> Vec<T> {
    assert_eq!(host.dtype, T::DTYPE);
    T::from_bytes(&host.bytes)
}

/// Fails where elements are not near.
pub fn check_near(found: &HostTensor, shape: &[usize], expected: &[f64]) {
    assert_eq!(found.layout.shape().extents(), shape);
    for (i, (a, b)) in elements::<f32>(found).iter().zip(expected).enumerate() {
        let distance = (f64::from(*a) - b).abs();
        assert!(
            distance <= 1e-5 + 1e-5 * b.abs(),
            "element {i} is {a}, not {b}"
        );
    }
}

pub fn words(result: Result<impl std::fmt::Debug, Error>) -> String {
    result.expect_err("it is refused").to_string()
}
