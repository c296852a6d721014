//! What the value of each keyword of JSON Schema is: a schema, several, or data.

/// Stands, with the reason as its value, in a schema that became looser before the walk, so that the
/// walk knows of it where looser would mean stricter. No schema that was read has it left.
pub(super) const LOST: &str = "$dynamicRef";

/// What a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// One schema, which may be `true` or `false`.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by names that someone chose.
    Named,
    /// Anything but a schema.
    Data,
}

/// Tells what a keyword holds, in the words of draft 2020-12.
pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "items"
        | "additionalProperties"
        | "additionalItems"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "contentSchema" => Holds::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Holds::Named
        }
        _ => Holds::Data,
    }
}

/// Tells whether a keyword only describes: no value is refused because of it.
pub(super) fn describes(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "example"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
            | "$defs"
            | "definitions"
    )
}

/// Tells whether a keyword can refuse a value; the rest of the unknown ones cannot.
pub(super) fn constrains(keyword: &str) -> bool {
    !describes(keyword)
        && (holds(keyword) != Holds::Data
            || matches!(
                keyword,
                "$ref" | "dependentRequired" | "minContains" | "maxContains" | "dependencies"
            )
            || kind_of(keyword).is_some()
            || matches!(keyword, "type" | "enum" | "const"))
}

/// Gives the type whose values a keyword is about, where it is about one.
pub(super) fn kind_of(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties"
        | "propertyOrdering" => "object",
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains"
        | "minContains" | "maxContains" | "unevaluatedItems" => "array",
        "minLength" | "maxLength" | "pattern" | "format" => "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        _ => return None,
    })
}

/// Gives the keyword without which another means nothing.
pub(super) fn leader(key: &str) -> Option<&'static str> {
    match key {
        "contains" | "minContains" | "maxContains" => Some("contains"),
        "if" | "then" | "else" => Some("if"),
        _ => None,
    }
}
