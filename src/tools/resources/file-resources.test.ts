import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallError } from '#core/errors/call-error.ts';
import { createIds, type NewId } from '#core/ids.ts';
import type { ResourceContents } from '#core/tools/content.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { matchUriTemplate } from '../../../test/match-uri-template.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { verifies } from '../../../test/verifies.ts';
import { fileResources } from './file-resources.ts';

let opened: OpenedThreads;
let newId: NewId;
beforeAll(async () => {
  opened = await openThreads();
  let seed = 0;
  newId = createIds(opened.clock, (bytes) => new Uint8Array(bytes).fill(++seed));
});
afterAll(() => opened.close());

async function store(principal: string, mime: string, content: Uint8Array): Promise<string> {
  const file = { id: newId('file'), principal, name: 'a\n"b".txt', mime };
  return (await opened.store.files.write(file, [content])).id;
}

async function read(uri: string, principal: string): Promise<ResourceContents | undefined> {
  const { files } = opened.store;
  const { resources, templates } = fileResources({ files, results: { list: async () => [] } });
  const context = {
    caller: { principal, scopes: ['*'], roots: [] },
    signal: new AbortController().signal,
  } as Partial<ToolContext> as ToolContext;
  const [template] = templates;
  const parts = matchUriTemplate(template?.uriTemplate ?? '', uri);
  const contents = parts
    ? await template?.read(parts, uri, context)
    : await resources[0]?.read(context);
  return (contents as readonly ResourceContents[])[0];
}

verifies('files:resource', 'text is read as text, anything else as base64', async () => {
  const text = await store('ann', 'text/plain', Buffer.from('Grüße'));
  const latin = await store('ann', 'text/plain', Buffer.from('Grüße', 'latin1'));
  const pdf = await store('ann', 'application/pdf', Buffer.from('%PDF-1.7'));
  expect(await read(`exai://files/${text}`, 'ann')).toMatchObject({
    mimeType: 'text/plain',
    text: 'Grüße',
  });
  expect(await read(`exai://files/${latin}`, 'ann')).toMatchObject({ blob: 'R3L832U=' });
  // A client that does not know the type of a file.
  const unknown = await store('ann', 'application/octet-stream', Buffer.from('# Notes\n\tÜber'));
  expect(await read(`exai://files/${unknown}`, 'ann')).toMatchObject({
    mimeType: 'text/plain',
    text: '# Notes\n\tÜber',
  });
  const binary = await store('ann', 'application/octet-stream', Buffer.from([1, 2, 3]));
  expect(await read(`exai://files/${binary}`, 'ann')).toMatchObject({ blob: 'AQID' });
  expect(await read(`exai://files/${pdf}`, 'ann')).toEqual({
    uri: `exai://files/${pdf}`,
    mimeType: 'application/pdf',
    blob: 'JVBERi0xLjc=',
  });
});

verifies('files:resource', 'the file of another client is as one that nobody has', async () => {
  const id = await store('ann', 'text/plain', Buffer.from('mine'));
  const tell = (uri: string, principal: string) =>
    read(uri, principal).catch((thrown: unknown) => (thrown as CallError).toJSON());
  const unknown = await tell(`exai://files/${newId('file')}`, 'bob');
  expect(unknown).toMatchObject({ class: 'not_found' });
  expect(await tell(`exai://files/${id}`, 'bob')).toEqual(unknown);
  expect(await tell('exai://files/..%2f..', 'bob')).toEqual(unknown);
  const listed = (await read('exai://files', 'bob')) as { readonly text: string };
  expect(JSON.parse(listed.text)).toEqual({ files: [], results: [] });
  const own = (await read('exai://files', 'ann')) as { readonly text: string };
  expect(own.text).toContain(`"uri":"exai://files/${id}"`);
});

test('a large file is refused with its size and the way to get it', async () => {
  const id = await store('ann', 'text/plain', Buffer.alloc(8_000_001, 'a'));
  await expect(read(`exai://files/${id}`, 'ann')).rejects.toMatchObject({
    class: 'too_large',
    message: expect.stringContaining('at most 8 MB') as string,
  });
});
