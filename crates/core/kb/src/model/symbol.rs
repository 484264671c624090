//! Words of symbols and tests.

use super::words;

words! {
    /// The role of a code symbol.
    SymbolRole {
        /// It does something: a function, a class, a method.
        Behavioral = "behavioral",
        /// It holds other symbols together.
        Structural = "structural",
        /// An interface, a type alias, an enum.
        TypeShape = "type-shape",
        /// Configuration.
        Config = "config",
        /// A module as a whole.
        Module = "module",
        /// Not known.
        Unknown = "unknown",
    }
}

words! {
    /// A reason why a link targets a whole file or module instead of a narrow symbol.
    Granularity {
        /// The file is configuration.
        ConfigArtifact = "config-artifact",
        /// The behaviour belongs to the module as a whole.
        ModuleLevelBehavior = "module-level-behavior",
        /// The extractor cannot see the narrow symbol.
        ExtractorMiss = "extractor-miss",
        /// The link is older than the rule.
        LegacyLink = "legacy-link",
    }
}

words! {
    /// How much of the system a test runs.
    VerificationScope {
        /// One unit.
        Unit = "unit",
        /// Several units together.
        Integration = "integration",
        /// The whole system.
        EndToEnd = "end_to_end",
    }
}

words! {
    /// From where a test looks at the system.
    VerificationPerspective {
        /// From the inside.
        Internal = "internal",
        /// As its users do.
        Consumer = "consumer",
    }
}
