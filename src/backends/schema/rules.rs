//! What each API takes of JSON Schema, as a table.

use super::Dialect;

/// Which keywords an API takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Takes {
    AllBut(&'static [&'static str]),
    Only(&'static [&'static str]),
}

/// What becomes of a local reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refs {
    Stay,
    Inlined,
}

/// What becomes of `oneOf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OneOf {
    /// It stays.
    Stays,
    /// It becomes `anyOf`.
    AnyOf,
    /// It becomes `anyOf` where no value fits two branches, and stays where one might.
    AnyOfWhereSame,
}

/// What becomes of `allOf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AllOf {
    Stays,
    Merged,
    /// It is merged where that loses nothing, and stays where it would.
    MergedWhereSame,
}

/// Which values may stand in `enum`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enums {
    Any,
    Scalars,
    TextsAndNumbers,
}

/// Which patterns are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patterns {
    Any,
    /// Without looking around, word borders and references back.
    Simple,
    /// The same, and from `^` to `$`.
    Anchored,
}

/// Which lengths and numbers of items are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    Any,
    /// Up to this many, since each repetition is written out.
    UpTo(u64),
    /// `minItems` of 0 or 1 and nothing else.
    NoneOrOne,
}

/// Whether objects must say that they have no further properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    AsTheySay,
    Closed,
}

/// How types are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// In any list.
    Any,
    /// One, or one and `null`.
    OneOrNull,
}

/// What stands at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    /// Any schema, since it is that of an answer.
    Any,
    /// An object that lists its properties, without branches.
    Object,
    /// The same with `type`, `properties` and `required` only.
    BareObject,
}

/// What an API takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) takes: Takes,
    pub(super) refs: Refs,
    pub(super) one_of: OneOf,
    pub(super) all_of: AllOf,
    pub(super) types: Types,
    pub(super) enums: Enums,
    /// The formats that are taken, where not all are.
    pub(super) formats: Option<&'static [&'static str]>,
    pub(super) patterns: Patterns,
    pub(super) counts: Counts,
    pub(super) objects: Objects,
    pub(super) top: Top,
}

impl Rules {
    /// Tells whether the API takes a keyword.
    pub(super) fn take(&self, keyword: &str) -> bool {
        match self.takes {
            Takes::AllBut(refused) => !refused.contains(&keyword),
            Takes::Only(taken) => taken.contains(&keyword),
        }
    }

    /// Tells whether the API knows only some keywords, and so wants names defined before they are
    /// required, lists of plain types, and no `true` and `false` as schemas.
    pub(super) fn narrow(&self) -> bool {
        match self.takes {
            Takes::AllBut(_) => false,
            Takes::Only(_) => true,
        }
    }
}

/// Everything, as it is.
const LENIENT: Rules = Rules {
    takes: Takes::AllBut(&[]),
    refs: Refs::Stay,
    one_of: OneOf::Stays,
    all_of: AllOf::Stays,
    types: Types::Any,
    enums: Enums::Any,
    formats: None,
    patterns: Patterns::Any,
    counts: Counts::Any,
    objects: Objects::AsTheySay,
    top: Top::Any,
};

/// The formats that constrained output of `OpenAI` knows.
pub(super) const OPENAI_FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

const ANTHROPIC_FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

const GEMINI: Rules = Rules {
    takes: Takes::Only(&[
        "type",
        "title",
        "description",
        "format",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "properties",
        "additionalProperties",
        "required",
        "propertyOrdering",
    ]),
    refs: Refs::Inlined,
    one_of: OneOf::AnyOf,
    all_of: AllOf::Merged,
    types: Types::OneOrNull,
    enums: Enums::TextsAndNumbers,
    formats: Some(&["date-time", "date", "time"]),
    top: Top::Any,
    ..LENIENT
};

/// Gives what the API of a dialect takes.
pub(super) fn rules(dialect: Dialect) -> Rules {
    match dialect {
        Dialect::Answer => LENIENT,
        Dialect::OpenAiTool | Dialect::AnthropicTool => Rules {
            top: Top::Object,
            ..LENIENT
        },
        Dialect::OpenAiStrict => Rules {
            takes: Takes::AllBut(&["default", "examples", "deprecated", "readOnly", "writeOnly"]),
            one_of: OneOf::AnyOfWhereSame,
            all_of: AllOf::MergedWhereSame,
            ..LENIENT
        },
        Dialect::AnthropicStrict => Rules {
            takes: Takes::Only(&[
                "type",
                "title",
                "description",
                "default",
                "enum",
                "const",
                "anyOf",
                "properties",
                "additionalProperties",
                "required",
                "items",
                "minItems",
                "format",
                "pattern",
            ]),
            refs: Refs::Inlined,
            one_of: OneOf::AnyOf,
            all_of: AllOf::Merged,
            types: Types::Any,
            enums: Enums::Scalars,
            formats: Some(ANTHROPIC_FORMATS),
            patterns: Patterns::Simple,
            counts: Counts::NoneOrOne,
            objects: Objects::Closed,
            top: Top::Any,
        },
        Dialect::GeminiAnswer => GEMINI,
        Dialect::GeminiTool => Rules {
            top: Top::Object,
            ..GEMINI
        },
        Dialect::BedrockTool => Rules {
            refs: Refs::Inlined,
            all_of: AllOf::Merged,
            top: Top::BareObject,
            ..LENIENT
        },
        Dialect::OllamaTool => Rules {
            takes: Takes::Only(&[
                "type",
                "description",
                "enum",
                "anyOf",
                "items",
                "properties",
                "required",
            ]),
            refs: Refs::Inlined,
            one_of: OneOf::AnyOf,
            all_of: AllOf::Merged,
            top: Top::BareObject,
            ..LENIENT
        },
        Dialect::Grammar => Rules {
            takes: Takes::Only(&[
                "type",
                "title",
                "description",
                "enum",
                "const",
                "anyOf",
                "$ref",
                "$defs",
                "definitions",
                "properties",
                "additionalProperties",
                "required",
                "items",
                "prefixItems",
                "minItems",
                "maxItems",
                "minLength",
                "maxLength",
                "pattern",
                "format",
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
            ]),
            one_of: OneOf::AnyOf,
            all_of: AllOf::Merged,
            formats: Some(&["date-time", "date", "time", "uuid"]),
            patterns: Patterns::Anchored,
            counts: Counts::UpTo(2000),
            ..LENIENT
        },
    }
}
