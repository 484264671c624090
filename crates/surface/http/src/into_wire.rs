//! From the engine's types to those of the wire.

/// A value that has a form on the wire.
pub trait IntoWire {
    /// The form.
    type Wire;

    /// Takes the value there.
    fn into_wire(self) -> Self::Wire;
}
