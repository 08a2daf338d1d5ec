import { expect, test } from 'vitest';
import { verifies } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();
const { switches } = harness;

const PNG = new Uint8Array(
  Buffer.from('89504e470d0a1a0a0000000d49484452000000200000001008020000', 'hex'),
);

verifies('facts:kimi:files', 'a file is uploaded, listed, looked at and deleted', async () => {
  const { upload, get, delete: remove } = harness.as();
  const made = await upload('a.txt', 'The key is under the mat.');
  expect([made.status, made.json]).toEqual([
    200,
    {
      id: expect.any(String),
      object: 'file',
      bytes: 25,
      created_at: 1_790_000_000,
      filename: 'a.txt',
      purpose: 'file-extract',
      status: 'ok',
      status_details: '',
    },
  ]);
  const { id } = made.json;
  expect((await get('/files')).json).toEqual({ object: 'list', data: [made.json] });
  expect((await get(`/files/${id}`)).json).toEqual(made.json);
  expect((await harness.as('sk-other').get(`/files/${id}`)).status).toBe(404);
  expect((await remove(`/files/${id}`)).json).toEqual({ id, object: 'file', deleted: true });
  const gone = await get(`/files/${id}`);
  expect([gone.status, gone.json.error.type]).toEqual([404, 'resource_not_found_error']);
  switches()['fileStatus'] = 'ready';
  expect((await upload('a.txt', 'x')).json.status).toBe('ready');
});

verifies(
  'facts:kimi:file-content',
  'the content is a JSON text that goes unchanged into a system message',
  async () => {
    const { upload, get, chat } = harness.as();
    const { id } = (await upload('notes.md', 'The vault opens at nine. It closes at five.')).json;
    const content = await get(`/files/${id}/content`);
    expect(content.json).toEqual({
      content: 'The vault opens at nine. It closes at five.',
      file_type: 'text/markdown',
      filename: 'notes.md',
      title: '',
      type: 'file',
    });
    const messages = [
      { role: 'system', content: content.text },
      { role: 'user', content: 'When does the vault open?' },
    ];
    expect((await chat('', { messages })).json.choices[0].message.content).toBe(
      'According to notes.md: "The vault opens at nine."',
    );
    switches()['fileContent'] = 'text';
    expect((await get(`/files/${id}/content`)).text).toBe(
      'The vault opens at nine. It closes at five.',
    );
    const deck = (await upload('deck.pptx', 'x')).json.id;
    switches()['fileContent'] = 'json';
    expect((await get(`/files/${deck}/content`)).json.file_type).toBe('application/zip');
  },
);

verifies(
  'facts:kimi:file-purposes',
  'four purposes today, one before, two more in an error text',
  async () => {
    const { upload } = harness.as();
    const refused = await upload('a.txt', 'x', 'assistants');
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      "Invalid purpose: only 'file-extract', 'image', 'video', 'batch' accepted",
    ]);
    expect((await upload('a.png', PNG, 'image')).status).toBe(200);
    expect((await upload('a.txt', 'x', 'image')).status).toBe(400);
    switches()['filePurposes'] = 'extract-only';
    expect((await upload('a.png', PNG, 'image')).json.error.message).toBe(
      "Invalid purpose: only 'file-extract' accepted",
    );
    switches()['filePurposes'] = 'wide';
    expect((await upload('a.txt', 'x', 'lambda')).status).toBe(400);
  },
);

verifies(
  'facts:kimi:file-limits',
  'empty, too large and too many files are refused in words',
  async () => {
    const { upload } = harness.as();
    expect((await upload('a.txt', '')).json.error.message).toBe(
      'File size is zero, please confirm and re-upload the file',
    );
    const large = await upload('a.txt', new Uint8Array(104_857_601));
    expect([large.status, large.json.error.message]).toEqual([
      400,
      'File size is too large, max file size is 100MB, please confirm and re-upload the file',
    ]);
    switches()['maxFiles'] = 2;
    await upload('a.txt', 'x');
    await upload('b.txt', 'x');
    expect((await upload('c.txt', 'x')).json.error.message).toBe(
      'The number of files you have uploaded exceeded the max file count 2, please delete previous uploaded files',
    );
    expect((await upload('a.exe', 'x')).status).toBe(400);
  },
);

verifies(
  'facts:kimi:vision',
  'pictures come as data or ms:// alone, as object or text, and addresses are refused',
  async () => {
    const { upload, chat } = harness.as();
    const data = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
    const part = (url: unknown) => [
      { type: 'image_url', image_url: url },
      { type: 'text', text: 'What is it?' },
    ];
    const seen = 'I was given 1 image (image/png, 28 bytes, 32 x 16 pixels).';
    const { id } = (await upload('a.png', PNG, 'image')).json;
    for (const url of [data, { url: data }, `ms://${id}`, { url: `ms://${id}` }])
      expect((await chat(part(url))).json.choices[0].message.content).toBe(seen);
    const address = await chat(part({ url: 'https://example.com/a.png' }));
    expect([address.status, address.json.error.message]).toEqual([400, 'unsupported image url']);
    for (const bad of ['ftp://x', 'ms://nothing', 5, { url: '' }])
      expect((await chat(part(bad))).status).toBe(400);
    expect((await harness.as('sk-other').chat(part(`ms://${id}`))).status).toBe(400);
    const text = (await upload('a.txt', 'x')).json.id;
    expect((await chat(part(`ms://${text}`))).status).toBe(400);
    switches()['imageUrls'] = 'accepted';
    expect((await chat(part({ url: 'https://example.com/a.png' }))).status).toBe(200);
  },
);

verifies('facts:kimi:vision-tokens', 'a picture costs 1,024 tokens', async () => {
  const data = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
  const text = { type: 'text', text: 'What is it?' };
  const { chat } = harness.as();
  const without = (await chat([text])).json.usage.prompt_tokens;
  const image = { type: 'image_url', image_url: data };
  expect((await chat([image, text])).json.usage.prompt_tokens).toBe(without + 1_024);
});

verifies('facts:kimi:text-models', 'text models take no list as content', async () => {
  switches()['retiredModels'] = 'live';
  const content = [{ type: 'text', text: 'Hi' }];
  expect((await harness.as().chat(content, { model: 'kimi-k2-0905-preview' })).status).toBe(400);
  const video = [{ type: 'video_url', video_url: 'data:video/mp4;base64,AAAA' }];
  expect((await harness.as().chat(video)).json.choices[0].message.content).toContain(
    '1 video (video/mp4, 3 bytes)',
  );
  expect((await harness.as().chat(video, { model: 'kimi-latest' })).status).toBe(400);
});

test('readable words are found in what is no text', async () => {
  const { upload, get } = harness.as();
  const pdf = (await upload('a.pdf', '%PDF-1.4 BT (Hello \\(you\\)) Tj ET')).json.id;
  expect((await get(`/files/${pdf}/content`)).json.content).toBe('Hello (you)');
  const binary = (
    await upload('a.doc', new Uint8Array([0, 255, ...Buffer.from('readable words'), 0]))
  ).json.id;
  expect((await get(`/files/${binary}/content`)).json.content).toBe('readable words');
});
