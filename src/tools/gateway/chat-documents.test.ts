import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { FileIntake, IntakeContext, LoadedFiles } from '#core/files/file-intake.ts';
import type { ChatPart } from '#core/llm/chat.ts';
import { readDocuments } from './chat-documents.ts';
import { NO_DOCUMENTS } from './no-documents.fixture.ts';

const NOTHING: LoadedFiles = { texts: [], media: [], notices: [], kept: [] };

/** Reads uploaded files, each of which has this content; counts the files that it read. */
function read(files: readonly string[], content: Partial<LoadedFiles>) {
  let count = 0;
  const fileIntake: FileIntake = {
    async load() {
      count += 1;
      return { ...NOTHING, ...content };
    },
  };
  const parts = files.map((fileId): ChatPart => ({ type: 'file', source: { fileId } }));
  const result = readDocuments(
    { messages: [{ role: 'user', content: parts }] },
    { ...NO_DOCUMENTS, fileIntake },
    {} as IntakeContext,
  );
  return { result, count: () => count };
}

const text = (chars: number) => ({ texts: [{ name: 'a.txt', text: 'x'.repeat(chars) }] });
const picture = (bytes: number): Partial<LoadedFiles> => {
  const source = { base64: 'A'.repeat((bytes * 4) / 3), mediaType: 'image/png' };
  return { media: [{ name: 'a.png', sha256: 'one', part: { type: 'image', source } }] };
};

verifies(
  'gateway-files:in-all',
  'texts over 24 MB in all are refused, and no further read',
  async () => {
    const { result, count } = read(['1', '2', '3', '4', '5'], text(9_000_000));
    await expect(result).rejects.toMatchObject({
      class: 'too_large',
      field: 'messages[0].content[2]',
      message: 'The texts of the documents are over the limit of 24 MB in all.',
    });
    expect(count()).toBe(3);
  },
);

verifies('gateway-files:in-all', 'uploaded pictures over 48 MB in all are refused', async () => {
  const { result, count } = read(['1', '2', '3', '4', '5'], picture(18_000_000));
  await expect(result).rejects.toMatchObject({ class: 'too_large' });
  expect(count()).toBe(3);
});

test('a document that comes twice is one file', async () => {
  const { request } = await read(['1', '1'], text(10)).result;
  expect(request.files).toHaveLength(1);
});

verifies(
  'gateway-files:secrets',
  'a text that came as a document is read as a file, and stays in its place',
  async () => {
    const loaded: unknown[] = [];
    const fileIntake: FileIntake = {
      async load(inputs) {
        loaded.push(...inputs);
        return NOTHING;
      },
    };
    const document = { type: 'text', text: 'keys.txt\n\nA key.', fromFile: 'keys.txt' } as const;
    const question = { type: 'text', text: 'What is it?' } as const;
    const messages = [
      { role: 'user', content: [question, document] },
      { role: 'user', content: [document] },
    ] as const;
    const deps = { ...NO_DOCUMENTS, fileIntake };
    const { request } = await readDocuments({ messages }, deps, {} as IntakeContext);
    const file = { name: 'keys.txt', text: 'A key.' };
    expect(loaded).toEqual([file, file]);
    expect(request.messages).toEqual([
      { role: 'user', content: [question, { type: 'text', text: 'keys.txt\n\nA key.' }] },
      { role: 'user', content: 'keys.txt\n\nA key.' },
    ]);
  },
);
