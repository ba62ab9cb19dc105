//! Small models, built by hand: results of valid ones, and errors of broken ones.

mod bounds;
mod build;
mod corpus;
mod files;
mod mutated;
mod refused;
mod runs;
mod shapes;
mod standard;
mod torch;
mod values;
