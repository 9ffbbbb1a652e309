//! The keys that a config knows, from its schema.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// How deep tables may lie in each other; no config of ours comes near.
const DEEPEST: usize = 8;

/// Returns the dotted paths of every key of a config, tables included, in alphabetical order. Keys of tables in a list stand under that of the
/// list.
pub fn known_keys<T: JsonSchema>() -> Vec<String> {
    let schema = super::schema::<T>();
    let mut keys = Vec::new();
    collect(&schema, &schema, "", &mut keys);
    keys.sort();
    keys.dedup();
    keys
}

fn collect(root: &Value, schema: &Value, path: &str, keys: &mut Vec<String>) {
    if path.split('.').count() > DEEPEST {
        return;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str)
        && let Some(target) = target.strip_prefix('#').and_then(|at| root.pointer(at))
    {
        collect(root, target, path, keys);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for schema in schema
            .get(choice)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            collect(root, schema, path, keys);
        }
    }
    if let Some(items) = schema.get("items") {
        collect(root, items, path, keys);
    }
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.unwrap_or(&none) {
        let path = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        keys.push(path.clone());
        collect(root, schema, &path, keys);
    }
}
