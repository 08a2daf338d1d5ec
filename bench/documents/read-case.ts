import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { toSent } from '../../src/core/messages/render.ts';
import type { DocumentSource, ReadDocument } from '../../src/core/extract/document.ts';
import { CallError } from '../../src/core/errors/call-error.ts';
import { readDocument } from '../../src/extract/documents/read-document.ts';
import { pathOf, type CaseOutput, type DocumentCase } from './cases.ts';

/** Reads one document as a user would give it, and again with its password. */
export async function readCase(each: DocumentCase): Promise<CaseOutput> {
  const bytes = new Uint8Array(readFileSync(pathOf(each)));
  const name = basename(each.file);
  const output = await outputOf(bytes, { name });
  if (each.password === undefined || each.outcome !== 'password') return output;
  const { text } = await outputOf(bytes, { name, password: each.password });
  return { ...output, ...(text !== undefined && { with_password: text }) };
}

async function outputOf(bytes: Uint8Array, source: DocumentSource): Promise<CaseOutput> {
  try {
    return describe(await readDocument(bytes, source));
  } catch (thrown) {
    if (!(thrown instanceof CallError)) return { crash: true, error: String(thrown) };
    return { error: `${thrown.class}: ${thrown.message}` };
  }
}

function describe({ parts, notices, pageCount }: ReadDocument): CaseOutput {
  return {
    text: parts.map(({ markdown }) => markdown).join('\n\n'),
    warnings: notices.map((each) => toSent(each).text),
    needs_ocr: notices.some(({ code }) => code === 'document_pages_scanned'),
    ...(pageCount !== undefined && { pages: pageCount }),
  };
}
