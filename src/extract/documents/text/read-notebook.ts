import type { DocumentPart } from '#core/extract/document.ts';
import { damaged, tooLarge } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';
import { readDecoded } from './decoded.ts';

const FORMAT = 'Jupyter';
/** The escape sequences that colour the text of a terminal. */
const COLOURS = /\p{Cc}\[[0-9;]*[A-Za-z]/gu;

const MAX_CELLS = 20_000;

type Json = Readonly<Record<string, unknown>>;

/** A Jupyter notebook: its cells as sections, with code, and the text of the outputs. */
export const readNotebook: FormatReader = (bytes, source) => {
  const { text, notices } = readDecoded(bytes, source);
  const notebook = parse(text);
  const metadata = record(notebook['metadata']);
  const language =
    string(record(metadata['language_info'])['name']) ||
    string(record(metadata['kernelspec'])['language']) ||
    'python';
  const cells = cellsOf(notebook);
  if (cells.length > MAX_CELLS) throw tooLarge('cells', MAX_CELLS);
  const parts: DocumentPart[] = cells.map((cell, at) => ({
    place: { is: 'section', section: at + 1 },
    markdown: renderCell(record(cell), language),
  }));
  const title =
    string(metadata['title']) || /^#\s+(.+)$/m.exec(parts[0]?.markdown ?? '')?.[1]?.trim();
  return { ...(title !== undefined && title !== '' && { title }), parts, notices };
};

function parse(text: string): Json {
  try {
    return record(JSON.parse(text));
  } catch (thrown) {
    throw damaged(FORMAT, 'it is not valid JSON', thrown);
  }
}

/** Version 3 had its cells in worksheets. */
function cellsOf(notebook: Json): readonly unknown[] {
  if (Array.isArray(notebook['cells'])) return notebook['cells'];
  const sheets = Array.isArray(notebook['worksheets']) ? notebook['worksheets'] : undefined;
  if (sheets === undefined) throw damaged(FORMAT, 'it has no cells');
  return sheets.flatMap((sheet) => {
    const cells = record(sheet)['cells'];
    return Array.isArray(cells) ? cells : [];
  });
}

function renderCell(cell: Json, language: string): string {
  const source = joined(cell['source'] ?? cell['input']);
  const kind = string(cell['cell_type']);
  if (kind === 'markdown') return source;
  if (kind === 'heading') return `${'#'.repeat(Number(cell['level']) || 1)} ${source}`;
  if (kind !== 'code') return fence(source, '');
  const outputs = (Array.isArray(cell['outputs']) ? cell['outputs'] : [])
    .map((output) => renderOutput(record(output)))
    .filter((output) => output !== '');
  const code = source === '' ? [] : [fence(source, language)];
  return [...code, ...outputs].join('\n\n');
}

function renderOutput(output: Json): string {
  const data = record(output['data']);
  if (string(output['output_type']) === 'error' || string(output['output_type']) === 'pyerr')
    return fence(joined(output['traceback'], '\n') || string(output['evalue']), '');
  const markdown = joined(data['text/markdown']);
  if (markdown !== '') return markdown;
  const text =
    joined(data['text/plain']) || joined(output['text']) || joined(data['application/json']);
  return text.trim() === '' ? '' : fence(text, '');
}

/** A fence longer than any inside, without the colours of a terminal. */
function fence(text: string, language: string): string {
  const plain = text.replace(COLOURS, '').replace(/\n+$/, '');
  const longest = (plain.match(/`{3,}/g) ?? []).reduce(
    (most, run) => Math.max(most, run.length),
    2,
  );
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${plain}\n${mark}`;
}

function joined(value: unknown, separator = ''): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.filter((each): each is string => typeof each === 'string').join(separator);
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}
