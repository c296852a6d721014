//! The one place that chooses adapters: settings to an endpoint, an endpoint to a backend, needs to
//! the world, tool sources to executors. Uses every room below.
