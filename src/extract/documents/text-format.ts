import type { DocumentFormat, DocumentSource } from '#core/extract/document.ts';
import { declaredFormats, extensionOf } from './format-names.ts';
import { findDelimiter } from './text/parse-csv.ts';

const HTML_START =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body|meta|title|table|div|script|style|p|h[1-6])\b/i;
const OTHER_XML = /^\s*<\?xml/i;
const HEADER = /^[!-9;-~]{1,70}:[ \t]/;
/** Fields that begin messages; two of them, or one with a MIME version, are one. */
const MAIL_FIELDS =
  /^(?:from|to|cc|bcc|subject|date|message-id|mime-version|received|return-path|delivered-to|reply-to|sender|content-type|x-[a-z-]+|dkim-signature|authentication-results|references|in-reply-to):/i;

/** The format of a text: by its first lines, then by its name, which decides between the rest. */
export function textFormat(start: string, source: DocumentSource): DocumentFormat {
  const named = declaredFormats(source).map(({ formats }) => formats[0]);
  const extension = extensionOf(source.name);
  if (isNotebook(start, extension)) return 'notebook';
  if (isCode(extension)) return 'text';
  if (named.includes('eml') || isMail(start)) return looksLikeMail(start) ? 'eml' : 'text';
  if (HTML_START.test(start)) return 'html';
  if (named.includes('html') && /<[a-z!/]/i.test(start)) return 'html';
  if (named.includes('csv')) return 'csv';
  // An `.xls` or a download without a name may be separated values.
  if (extension === 'xls' && !OTHER_XML.test(start) && findDelimiter(start) !== undefined)
    return 'csv';
  return 'text';
}

/** Source code that contains markup is code. */
function isCode(extension: string): boolean {
  return /^(?:[cm]?[jt]sx?|vue|svelte|astro|php|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|swift|sh|sql|css|scss|less|json[5lc]?|ya?ml|toml|ini|md|markdown|mdx|rst|tex|xml|svg|xsl|xsd|tmpl|erb|ejs|hbs|diff|patch|log)$/.test(
    extension,
  );
}

function isNotebook(start: string, extension: string): boolean {
  if (!/^\s*\{/.test(start)) return false;
  if (extension === 'ipynb') return true;
  return extension === '' && /"nbformat"\s*:|"cell_type"\s*:/.test(start);
}

function isMail(start: string): boolean {
  const lines = start.replace(/^From [^\n]*\n/, '').split(/\r?\n/, 40);
  const end = lines.indexOf('');
  const head = lines.slice(0, end < 0 ? lines.length : end);
  const fields = head.filter((line) => HEADER.test(line)).map((line) => line.toLowerCase());
  if (!HEADER.test(head[0] ?? '')) return false;
  const known = fields.filter((line) => MAIL_FIELDS.test(line)).length;
  const others = head.filter((line) => !HEADER.test(line) && !/^[ \t]/.test(line)).length;
  return (
    known >= 3 && others <= 1 && fields.some((line) => /^(?:from|received|message-id):/.test(line))
  );
}

function looksLikeMail(start: string): boolean {
  return start
    .split(/\r?\n/, 60)
    .some((line) => MAIL_FIELDS.test(line) || /^content-[a-z-]+:/i.test(line));
}
