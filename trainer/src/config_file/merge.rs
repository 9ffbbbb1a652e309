//! Overrides: parsing them at an offset and laying them over the file's table.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses `KEY=VALUE`. All spans are moved by `offset`. A value that is not TOML is a bare string.
pub(super) fn parse_override(set: &str, offset: usize) -> Result<DeTable<'_>, String> {
    let Some(equals) = set.find('=') else {
        return Err("it has no `=`: write --set KEY=VALUE".to_owned());
    };
    let value = set[equals + 1..].trim();
    if let Ok(table) = DeTable::parse(set)
        && !set.contains('\n')
    {
        return Ok(moved_table(table.into_inner(), offset));
    }
    let key = &set[..equals];
    let path = key_path(key)?;
    let start = offset + equals + 1;
    let mut inner = Spanned::new(
        start..offset + set.len(),
        DeValue::String(Cow::Borrowed(value)),
    );
    for part in path.iter().skip(1).rev() {
        let mut table = DeTable::new();
        table.insert(Spanned::new(offset..offset + equals, part.clone()), inner);
        inner = Spanned::new(offset..offset + set.len(), DeValue::Table(table));
    }
    let mut root = DeTable::new();
    root.insert(
        Spanned::new(offset..offset + equals, path[0].clone()),
        inner,
    );
    Ok(root)
}

/// Splits a dotted key as TOML does.
fn key_path(key: &str) -> Result<Vec<Cow<'static, str>>, String> {
    let text = format!("{}=0", key.trim());
    let root = DeTable::parse(&text)
        .map_err(|_| format!("`{}` is not a key: write --set KEY=VALUE", key.trim()))?;
    let mut path = Vec::new();
    let mut table = Some(root.get_ref());
    while let Some((key, value)) = table.and_then(|table| table.iter().next()) {
        path.push(Cow::Owned(key.get_ref().clone().into_owned()));
        table = value.get_ref().as_table();
    }
    Ok(path)
}

/// Lays `over` over `under`: tables are merged, anything else is replaced.
pub(super) fn merge<'i>(under: &mut DeTable<'i>, over: DeTable<'i>) {
    for (key, mut value) in over {
        if let DeValue::Table(table) = value.get_mut()
            && let Some(DeValue::Table(below)) = under.get_mut(&key).map(Spanned::get_mut)
        {
            merge(below, std::mem::take(table));
            continue;
        }
        // Inserting alone would keep the old key, and with it the old place.
        under.remove(&key);
        under.insert(key, value);
    }
}

/// Returns the place of the value under a dotted path, or else of the innermost table on the way to it.
pub(super) fn span_of(root: &Spanned<DeTable<'_>>, path: &str) -> Option<Range<usize>> {
    let mut path = path;
    loop {
        if let Some((_, value)) = super::entry(root.get_ref(), path) {
            return Some(value.span());
        }
        path = path.rsplit_once('.')?.0;
    }
}

fn moved_table(table: DeTable<'_>, offset: usize) -> DeTable<'_> {
    let mut moved = DeTable::new();
    for (key, value) in table {
        let span = shifted(&key.span(), offset);
        moved.insert(
            Spanned::new(span, key.into_inner()),
            moved_value(value, offset),
        );
    }
    moved
}

fn moved_value(value: Spanned<DeValue<'_>>, offset: usize) -> Spanned<DeValue<'_>> {
    let span = shifted(&value.span(), offset);
    let inner = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(moved_table(table, offset)),
        DeValue::Array(mut array) => {
            for element in array.iter_mut() {
                let taken = std::mem::replace(element, Spanned::new(0..0, DeValue::Boolean(false)));
                *element = moved_value(taken, offset);
            }
            DeValue::Array(array)
        }
        other => other,
    };
    Spanned::new(span, inner)
}

fn shifted(span: &Range<usize>, offset: usize) -> Range<usize> {
    span.start + offset..span.end + offset
}
