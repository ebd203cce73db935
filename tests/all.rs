//! All integration tests in one binary: it is linked once.

mod support;

mod captures;
mod cases;
mod session_properties;
mod sessions;
