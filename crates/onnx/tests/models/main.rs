//! Small models, built by hand: what they give, and what is refused of those that are broken.

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
