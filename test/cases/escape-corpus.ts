/** Texts by which an answer, a name or an error could take over a terminal or deceive its reader. */
export const ESCAPE_CORPUS: Readonly<Record<string, string>> = {
  'a colour': '\u001B[31mred',
  'our own bold': '\u001B[1mbold',
  'a hidden text': '\u001B[8mhidden',
  'an erased screen': '\u001B[2J\u001B[H',
  'an erased line': '\r\u001B[Kforged',
  'another screen': '\u001B[?1049h',
  'a cursor report': '\u001B[6n',
  'a title': '\u001B]0;title\u0007',
  'the clipboard': '\u001B]52;c;ZXZpbA==\u0007',
  'a hyperlink': '\u001B]8;;https://evil.example\u001B\\link\u001B]8;;\u001B\\',
  'a device string': '\u001BP+q544e\u001B\\',
  'a private message': '\u001B^pm\u001B\\\u001B_apc\u001B\\',
  'a reset': '\u001Bc',
  'another character set': '\u001B(0lqk',
  'C1 CSI': '\u009B31mC1',
  'C1 OSC': '\u009D0;t\u009C',
  'C1 DCS': '\u0090q\u009C',
  'every C1 control': Array.from({ length: 32 }, (_, at) => String.fromCharCode(0x80 + at)).join(
    '',
  ),
  'a carriage return': 'safe\rforged',
  backspaces: 'abc\b\b\bxyz',
  'a bell': 'ding\u0007',
  'a delete': 'del\u007F',
  'a vertical tab and a form feed': 'v\u000Bf\u000C',
  'shift out': 's\u000E\u000F',
  'an override': '\u202Egnihton\u202C',
  embeddings: '\u202A\u202B\u202Dx',
  isolates: '\u2066a\u2067b\u2068c\u2069',
  'direction marks': '\u200E\u200F\u061C',
  'zero width': 'pass\u200Bword\u2060\uFEFF',
  'invisible operators': '1\u2062\u2063\u20642',
  'tag characters': `tag${String.fromCodePoint(0xe_0041, 0xe_0042)}`,
  'line separators': 'a\u2028b\u2029c',
  annotation: '\uFFF9a\uFFFAb\uFFFB',
};

/** What no terminal may get. Tabs, line breaks and our own sequences are taken out before. */
export const RAW_CONTROLS =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u;
