import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { useKimiWorld, upload } from './kimi.fixture.ts';

const world = useKimiWorld();

describe('files (1.9)', () => {
  verifies(
    'provider:cases',
    'Kimi files: a file goes up, is listed, read and deleted',
    async () => {
      for (const [fileContent, fileStatus] of [
        ['json', 'ok'],
        ['text', 'ready'],
      ]) {
        Object.assign(world.emulator.switches['kimi'] ?? {}, { fileContent, fileStatus });
        const { provider, context } = world.kimi();
        const text = 'The door is green.\n"Quoted" — 世界';
        const file = await provider.upload?.(upload(text, { name: 'dö"or.txt' }), context);
        expect(file).toMatchObject({
          purpose: 'file-extract',
          state: 'ready',
          size: Buffer.byteLength(text),
        });
        const id = file?.id ?? '';
        expect(await provider.fileContent?.(id, context)).toBe(text);
        expect(await provider.listFiles?.(context)).toMatchObject([{ id, state: 'ready' }]);
        expect(await provider.deleteFile?.(id, context)).toBe('deleted');
        expect(await provider.deleteFile?.(id, context)).toBe('absent');
      }
    },
  );

  test('a document that is JSON itself stays what it is', async () => {
    Object.assign(world.emulator.switches['kimi'] ?? {}, { fileContent: 'text' });
    const { provider, context } = world.kimi();
    const text = '{"content":"mine"}';
    const file = await provider.upload?.(upload(text, { name: 'a.json' }), context);
    expect(await provider.fileContent?.(file?.id ?? '', context)).toBe(text);
  });

  test.each([
    [{ size: 0 }, 'validation', 'file'],
    [{ size: 100 * 1024 * 1024 + 1 }, 'too_large', 'file'],
    [{ purpose: 'agent' as const }, 'validation', 'purpose'],
  ])('%o is refused before a byte is sent', async (more, errorClass, field) => {
    const { provider, context, exchanges } = world.kimi();
    await expect(provider.upload?.(upload('x', more), context)).rejects.toMatchObject({
      class: errorClass,
      field,
      provider: 'kimi',
    });
    expect(exchanges).toEqual([]);
  });

  test.each(['', '..', '../models', 'a/b', 'a?b', 'a\n', 'x'.repeat(300)])(
    'the id %j leads nowhere',
    async (id) => {
      const { provider, context, exchanges } = world.kimi();
      await expect(provider.fileContent?.(id, context)).rejects.toMatchObject({
        class: 'validation',
        field: 'fileId',
      });
      await expect(provider.deleteFile?.(id, context)).rejects.toMatchObject({
        class: 'validation',
      });
      expect(exchanges).toEqual([]);
    },
  );

  test.each([
    ['F15.toolarge', 'too_large'],
    ['F15.zero', 'validation'],
    ['F15.count', 'conflict'],
    ['F15.status', 'provider_error'],
  ])('%s of an upload is %s, and nothing stays behind', async (id, errorClass) => {
    world.emulator.fault({ id });
    const { provider, context } = world.kimi();
    await expect(provider.upload?.(upload('x'), context)).rejects.toMatchObject({
      class: errorClass,
    });
    expect(await provider.listFiles?.(context)).toEqual([]);
  });

  verifies(
    'uploads:clean',
    'an upload whose answer is lost is deleted, and no other file of its name',
    async () => {
      const { provider, context } = world.kimi();
      const before = await provider.upload?.(upload('x', { name: 'a.txt' }), context);
      world.emulator.fault({ id: 'F5.cutbody', path: '/files' });
      await expect(
        provider.upload?.(upload('y', { name: 'a.txt' }), context),
      ).rejects.toMatchObject({ class: 'network' });
      expect(await provider.listFiles?.(context)).toMatchObject([{ id: before?.id }]);
      // What was not sent whole is not looked for.
      const lists = () => world.emulator.requests().filter(({ method }) => method === 'GET').length;
      const count = lists();
      const broken = upload('z', {
        size: 2,
        async *bytes() {
          yield Buffer.from('z');
          throw new Error('It cannot be read.');
        },
      });
      await expect(provider.upload?.(broken, context)).rejects.toThrow(/./);
      expect(lists()).toBe(count);
    },
  );

  verifies(
    'provider:faults',
    'Kimi F15: a file whose text cannot be had is deleted, and the failure has a class and a fix',
    async () => {
      for (const id of ['F15.extract', 'F15.server']) {
        const { provider, context } = world.kimi();
        const file = await provider.upload?.(upload('x'), context);
        world.emulator.fault({ id });
        // The fault waits for the content.
        await expect(provider.fileContent?.(file?.id ?? '', context)).rejects.toMatchObject({
          class: 'provider_error',
          message: 'Kimi could not get the text out of this file.',
          fix: expect.any(String) as string,
        });
        expect(await provider.listFiles?.(context)).toEqual([]);
      }
    },
  );
});
