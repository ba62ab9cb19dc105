//! ONNX and OpenVINO operator names.
