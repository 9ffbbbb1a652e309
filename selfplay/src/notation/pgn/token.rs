//! The words of the format.

use super::super::error::ReadError;

/// A word and the line where it begins, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A tag and its value.
    Tag(String, String),
    /// A comment without its braces.
    Comment(String),
    /// A move, or whatever else is no result and no number.
    Move(String),
    /// One of the four results.
    Result(String),
}

/// Splits a text into words. Variations, numbers of moves and annotations are passed over.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ReadError> {
    let mut reader = Reader {
        rest: text,
        line: 1,
        at_line_start: true,
    };
    let mut found = Vec::new();
    while let Some(token) = reader.next()? {
        found.push(token);
    }
    Ok(found)
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    at_line_start: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<Option<Token>, ReadError> {
        loop {
            self.skip_blank();
            let line = self.line;
            let Some(first) = self.rest.chars().next() else {
                return Ok(None);
            };
            let kind = match first {
                '[' => self.tag()?,
                '{' => TokenKind::Comment(self.comment()?),
                '(' => {
                    self.variation()?;
                    continue;
                }
                ')' | '}' | ']' => {
                    return Err(ReadError::new(
                        line,
                        format!("`{first}` without its beginning"),
                    ));
                }
                _ => match self.word() {
                    Some(kind) => kind,
                    None => continue,
                },
            };
            return Ok(Some(Token { line, kind }));
        }
    }

    /// Passes over blanks, comments to the end of a line and lines that begin with `%`.
    fn skip_blank(&mut self) {
        while let Some(first) = self.rest.chars().next() {
            if first == ';' || first == '%' && self.at_line_start {
                self.take_until('\n');
            } else if first.is_whitespace() {
                self.advance(first);
            } else {
                return;
            }
        }
    }

    fn advance(&mut self, character: char) {
        self.at_line_start = character == '\n';
        self.line += usize::from(character == '\n');
        self.rest = &self.rest[character.len_utf8()..];
    }

    /// Takes what comes before `end`, or all there is.
    fn take_until(&mut self, end: char) -> String {
        let mut taken = String::new();
        while let Some(character) = self.rest.chars().next().filter(|next| *next != end) {
            taken.push(character);
            self.advance(character);
        }
        taken
    }

    fn tag(&mut self) -> Result<TokenKind, ReadError> {
        let line = self.line;
        let error = || ReadError::new(line, "a tag has the form `[Name \"value\"]`");
        self.advance('[');
        let name = self.take_until('"').trim().to_owned();
        if name.is_empty() || name.contains(char::is_whitespace) || self.rest.is_empty() {
            return Err(error());
        }
        self.advance('"');
        let mut value = String::new();
        loop {
            let next = self.rest.chars().next().ok_or_else(error)?;
            self.advance(next);
            match next {
                '"' => break,
                '\\' => {
                    let escaped = self.rest.chars().next().ok_or_else(error)?;
                    self.advance(escaped);
                    value.push(escaped);
                }
                '\n' => return Err(error()),
                _ => value.push(next),
            }
        }
        self.skip_blank();
        if !self.rest.starts_with(']') {
            return Err(error());
        }
        self.advance(']');
        Ok(TokenKind::Tag(name, value))
    }

    fn comment(&mut self) -> Result<String, ReadError> {
        let line = self.line;
        self.advance('{');
        let text = self.take_until('}');
        if self.rest.is_empty() {
            return Err(ReadError::new(line, "a comment without its `}`"));
        }
        self.advance('}');
        Ok(text)
    }

    /// Passes over a variation, with those in it.
    fn variation(&mut self) -> Result<(), ReadError> {
        let line = self.line;
        let mut depth = 0;
        loop {
            self.skip_blank();
            match self.rest.chars().next() {
                None => return Err(ReadError::new(line, "a variation without its `)`")),
                Some('{') => {
                    self.comment()?;
                }
                Some(next) => {
                    depth += i32::from(next == '(') - i32::from(next == ')');
                    self.advance(next);
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn word(&mut self) -> Option<TokenKind> {
        let mut word = String::new();
        while let Some(next) = self.rest.chars().next() {
            if next.is_whitespace() || "{}()[];".contains(next) {
                break;
            }
            word.push(next);
            self.advance(next);
        }
        if super::RESULTS.contains(&word.as_str()) || word == super::UNFINISHED {
            return Some(TokenKind::Result(word));
        }
        if word.starts_with('$') {
            return None;
        }
        // `12.` and `12...`, perhaps right before the move.
        let digits = word.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let mv = if digits.len() < word.len() && (digits.is_empty() || digits.starts_with('.')) {
            digits.trim_start_matches('.')
        } else {
            word.trim_start_matches('.')
        };
        let mv = mv.trim_end_matches(['!', '?']);
        (!mv.is_empty()).then(|| TokenKind::Move(mv.to_owned()))
    }
}
