//! The prompt, the wire and the sender, against histories, recordings and a fake server.

mod laws;
