import { describe, expect, test } from 'vitest';
import type { FilePurpose, FileToUpload } from '#core/llm/provider.ts';
import { verifies } from '../../../test/verifies.ts';
import { must, scripted, useGlmWorld, thrown } from './glm.fixture.ts';

const world = useGlmWorld();

function file(
  purpose: FilePurpose,
  text = 'Hello.',
  more: Partial<FileToUpload> = {},
): FileToUpload {
  return {
    name: 'note.txt',
    mediaType: 'text/plain',
    size: Buffer.byteLength(text),
    purpose,
    async *bytes() {
      yield await Promise.resolve(Buffer.from(text));
    },
    ...more,
  };
}

describe('files', () => {
  test('are uploaded, read, listed and deleted at bigmodel', async () => {
    const { provider, context } = world.atBigmodel();
    const uploaded = must(await provider.upload?.(file('extract', 'The text.'), context));
    expect(uploaded).toMatchObject({
      name: 'note.txt',
      size: 9,
      purpose: 'file-extract',
      state: 'ready',
    });
    expect(await provider.fileContent?.(uploaded.id, context)).toBe('The text.');
    expect(await provider.listFiles?.(context)).toEqual([uploaded]);
    expect(await provider.deleteFile?.(uploaded.id, context)).toBe('deleted');
    expect(await provider.deleteFile?.(uploaded.id, context)).toBe('absent');
  });

  verifies('uploads:clean', 'whose answer is lost are deleted again', async () => {
    const { provider, context } = world.atBigmodel();
    const other = must(await provider.upload?.(file('extract', 'Other.'), context));
    world.emulator.fault({ id: 'F5.cutbody', path: '/files' });
    const lost = thrown(provider.upload?.(file('extract', 'Lost.\n'), context));
    expect(await lost).toMatchObject({ class: 'network' });
    expect(await provider.listFiles?.(context)).toEqual([other]);
  });

  test('are listed page by page', async () => {
    const { provider, context } = world.atBigmodel();
    for (let at = 0; at < 105; at += 1)
      await provider.upload?.(file('agent', `Text ${at}`), context);
    const files = must(await provider.listFiles?.(context));
    expect(new Set(files.map(({ id }) => id)).size).toBe(105);
  });

  test('of a list that never ends are given as far as they came', async () => {
    const page = { json: { data: [{ id: 'f1' }], has_more: true } };
    const { provider, context, requests } = scripted([page, page, page, page]);
    expect(await provider.listFiles?.(context)).toHaveLength(1);
    expect(requests).toHaveLength(2);
  });

  verifies('provider:facts', 'glm: z.ai takes files for agents alone', async () => {
    const { provider, context } = world;
    expect(await provider.upload?.(file('agent'), context)).toMatchObject({ purpose: 'agent' });
    const error = await thrown(provider.upload?.(file('extract'), context));
    expect(error).toMatchObject({
      class: 'validation',
      field: 'purpose',
      message: 'GLM at api.z.ai takes no files for extract, only for agent.',
      fix: expect.stringContaining('open.bigmodel.cn'),
    });
    expect(world.emulator.requests()).toHaveLength(1);
  });

  verifies(
    'provider:facts',
    'glm: bigmodel takes files by purpose, each with its limits',
    async () => {
      const { provider, context } = world.atBigmodel();
      const MB = 1024 * 1024;
      const no = async (purpose: FilePurpose, more: Partial<FileToUpload>) =>
        (await thrown(provider.upload?.(file(purpose, 'x', more), context))).class;
      expect(await no('extract', { size: 50 * MB + 1 })).toBe('too_large');
      expect(await no('extract', { size: 6 * MB, name: 'a.png', mediaType: 'image/png' })).toBe(
        'too_large',
      );
      expect(await no('agent', { size: 20 * MB + 1 })).toBe('too_large');
      expect(await no('batch', { name: 'a.csv' })).toBe('validation');
      expect(await no('extract', { size: 0 })).toBe('validation');
      expect(await no('image', {})).toBe('validation');
      expect(await no('video', {})).toBe('validation');
      expect(world.emulator.requests()).toEqual([]);
      expect(
        await provider.upload?.(file('batch', '{}', { name: 'a.jsonl' }), context),
      ).toMatchObject({ purpose: 'batch' });
    },
  );

  verifies('provider:faults', 'glm F15: refusals of an upload have their class', async () => {
    const { provider, context } = world;
    for (const [id, expected] of [
      ['F15.toolarge', 'bad_request'],
      ['F15.435', 'too_large'],
      ['F15.fast', 'rate_limit'],
    ] as const) {
      world.emulator.fault({ id });
      expect((await thrown(provider.upload?.(file('agent'), context))).class).toBe(expected);
    }
  });

  verifies(
    'provider:faults',
    'glm F15: a file that came out glmBadResponse is removed again',
    async () => {
      const { provider, context } = world;
      world.emulator.fault({ id: 'F15.status' });
      expect(await thrown(provider.upload?.(file('agent'), context))).toMatchObject({
        class: 'provider_error',
      });
      expect(world.emulator.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
        'POST /glm/api/paas/v4/files',
        'DELETE /glm/api/paas/v4/files/file-00000001',
      ]);
    },
  );

  test('have ids that lead nowhere else', async () => {
    const { provider, context } = world.atBigmodel();
    for (const id of ['', '..', '../models', 'a/b', 'a?b', 'x'.repeat(300), 'a\nb'])
      expect(await thrown(provider.deleteFile?.(id, context))).toMatchObject({
        class: 'validation',
      });
    expect(world.emulator.requests()).toEqual([]);
  });
});
