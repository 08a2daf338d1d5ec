import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createKeySplitter,
  createPasteLabels,
  createPipedInput,
  hasPasteLabel,
  loadChatHistory,
  MAX_HISTORY,
  parseChatLine,
  saveChatHistory,
  splitContinuation,
  type InputEvent,
  type TypedChunk,
} from './input.ts';

describe('input', () => {
  describe('chat line', () => {
    test('a line is a message, a command with the rest of its words, or nothing', () => {
      const lines: [string, object][] = [
        ['', { is: 'nothing' }],
        [' \t', { is: 'nothing' }],
        ['Hello', { is: 'message', text: 'Hello' }],
        [' /help', { is: 'message', text: ' /help' }],
        ['/help', { is: 'command', name: 'help', rest: '' }],
        ['/', { is: 'command', name: '', rest: '' }],
        ['/Model  kimi-k3 ', { is: 'command', name: 'model', rest: 'kimi-k3' }],
        ['/save my talk.md', { is: 'command', name: 'save', rest: 'my talk.md' }],
        ['//etc/hosts', { is: 'message', text: '/etc/hosts' }],
        ['///', { is: 'message', text: '//' }],
      ];
      expect(lines.map(([line]) => [line, parseChatLine(line)])).toEqual(lines);
    });

    test('what has several lines is a message as it is, code that begins with slashes included', () => {
      const code = '// adds one\n/exit';
      expect(parseChatLine(code)).toEqual({ is: 'message', text: code });
    });

    test('one backslash at the end of a line leaves it open, two do not', () => {
      expect(splitContinuation('one\\')).toEqual({ text: 'one', end: 'open' });
      expect(splitContinuation('C:\\\\')).toEqual({ text: 'C:\\\\', end: 'closed' });
      expect(splitContinuation('a\\\\\\')).toEqual({ text: 'a\\\\', end: 'open' });
      expect(splitContinuation('')).toEqual({ text: '', end: 'closed' });
    });
  });

  describe('chat keys', () => {
    const BEGIN = '\u001b[200~';
    const END = '\u001b[201~';

    function splitAll(chunks: readonly string[], maxPasteChars = 100): TypedChunk[] {
      const split = createKeySplitter(maxPasteChars);
      const all: TypedChunk[] = [];
      for (const typed of chunks.flatMap((chunk) => split(chunk))) {
        const last = all.at(-1);
        if (last?.is === 'keys' && typed.is === 'keys') {
          all.splice(-1, 1, { is: 'keys', text: last.text + typed.text });
        } else all.push(typed);
      }
      return all;
    }

    test('keys and pastes are separated, and neither is changed', () => {
      expect(splitAll([`ab${BEGIN}x\ry${END}\r`])).toEqual([
        { is: 'keys', text: 'ab' },
        { is: 'paste', text: 'x\ry' },
        { is: 'keys', text: '\r' },
      ]);
    });

    test('it makes no difference in which pieces they arrive', () => {
      const text = fc.string({
        unit: fc.constantFrom('a', '\r', '[', '2', '~', 'é'),
        maxLength: 8,
      });
      const piece = fc.oneof(
        text.map((keys) => ({ keys, paste: undefined })),
        text.map((paste) => ({ keys: undefined, paste })),
      );
      fc.assert(
        fc.property(
          fc.array(piece, { maxLength: 6 }),
          fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 9 }),
          (pieces, sizes) => {
            const whole = pieces
              .map(({ keys, paste }) => keys ?? `${BEGIN}${paste}${END}`)
              .join('');
            const chunks: string[] = [];
            for (let at = 0, turn = 0; at < whole.length; turn += 1) {
              // Escape arrives alone; a mark is never split behind its first character.
              let size = sizes[turn % sizes.length] ?? 2;
              while (whole[at + size - 1] === '\u001b') size += 1;
              chunks.push(whole.slice(at, at + size));
              at += size;
            }
            expect(splitAll(chunks)).toEqual(splitAll([whole]));
          },
        ),
      );
    });

    test('the key Escape waits for nothing', () => {
      expect(splitAll(['\u001b'])).toEqual([{ is: 'keys', text: '\u001b' }]);
    });

    test('a paste that is too long is reported once, and the keys behind it are keys', () => {
      const chunks = [BEGIN, 'x'.repeat(60), 'x'.repeat(60), `${END}ok`];
      expect(splitAll(chunks)).toEqual([{ is: 'huge paste' }, { is: 'keys', text: 'ok' }]);
      expect(splitAll([...chunks, `${BEGIN}y${END}`]).at(-1)).toEqual({ is: 'paste', text: 'y' });
    });

    test('Ctrl-C gets out of a paste that has no end', () => {
      expect(splitAll([`${BEGIN}lost`, 'more', '\u0003', 'a'])).toEqual([
        { is: 'keys', text: '\u0003a' },
      ]);
    });
  });

  describe('chat pastes', () => {
    test('a short line is pasted as it is, without the line break that came along', () => {
      const pastes = createPasteLabels(1_000);
      expect(pastes.take('SELECT 1;\r')).toBe('SELECT 1;');
      expect(pastes.take('שלום 世界 🦉')).toBe('שלום 世界 🦉');
      expect(pastes.take('\r\n')).toBe('');
    });

    test('several lines, tabs and long texts are labels that stand for all of it', () => {
      const pastes = createPasteLabels(10_000);
      const lines = pastes.take('one\r\n\ttwo\rthree\n');
      expect(lines).toBe('[pasted #1: 3 lines]');
      expect(pastes.take('a\tb')).toBe('[pasted #2: 3 characters]');
      expect(pastes.take('x'.repeat(2_000))).toBe('[pasted #3: 2,000 characters]');
      expect(pastes.expand(`Sum up ${lines} and ${lines}, not [pasted #9: 3 lines]`)).toBe(
        'Sum up one\n\ttwo\nthree and one\n\ttwo\nthree, not [pasted #9: 3 lines]',
      );
    });

    test('what was pasted is not looked through for labels, and $ has no meaning in it', () => {
      const pastes = createPasteLabels(1_000);
      const first = pastes.take('a\nb');
      const second = pastes.take(`${first}\n$& $1`);
      expect(pastes.expand(second)).toBe('[pasted #1: 2 lines]\n$& $1');
    });

    test('the oldest are forgotten when there would be too many', () => {
      const pastes = createPasteLabels(10);
      const [first, second] = [pastes.take('1\n2345'), pastes.take('6\n7890')];
      expect(pastes.expand(first)).toBe(first);
      expect(pastes.expand(second)).toBe('6\n7890');
      const large = pastes.take('x\n'.repeat(20));
      expect(pastes.expand(large)).toHaveLength(39);
    });

    test('a line with a label is known', () => {
      expect([hasPasteLabel('a [pasted #1: 2 lines]'), hasPasteLabel('pasted')]).toEqual([
        true,
        false,
      ]);
    });
  });

  describe('chat history', () => {
    function historyFile(): string {
      const folder = mkdtempSync(join(tmpdir(), 'exai-chat-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return join(folder, 'chat-history');
    }

    test('the history is readable by its owner alone, and appended to that of other chats', () => {
      const file = historyFile();
      expect(loadChatHistory(file)).toEqual([]);
      saveChatHistory(file, []);
      expect(loadChatHistory(file)).toEqual([]);
      saveChatHistory(file, ['one', ' ', 'two']);
      saveChatHistory(file, ['two', 'three', 'x'.repeat(3_000), 'see [pasted #1: 2 lines]']);
      expect(loadChatHistory(file)).toEqual(['one', 'two', 'three']);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });

    test('the lines of one message stay together', () => {
      const file = historyFile();
      saveChatHistory(file, ['before', 'one\\\ntwo\\\nthree', 'a path: C:\\\\', 'after']);
      expect(loadChatHistory(file)).toEqual([
        'before',
        'one\\\ntwo\\\nthree',
        'a path: C:\\\\',
        'after',
      ]);
      writeFileSync(file, '\\\n'.repeat(500_000));
      expect(loadChatHistory(file)).toEqual([]);
    });

    test('only the newest lines are stored', () => {
      const file = historyFile();
      saveChatHistory(
        file,
        Array.from({ length: MAX_HISTORY + 10 }, (_, at) => `line ${at}`),
      );
      const stored = loadChatHistory(file);
      expect([stored.length, stored[0]]).toEqual([MAX_HISTORY, 'line 10']);
    });

    test('a file that cannot be read or written does not fail the chat', () => {
      const file = historyFile();
      writeFileSync(file, '');
      saveChatHistory(join(file, 'below'), ['lost']);
      expect(loadChatHistory(join(file, 'below'))).toEqual([]);
      expect(readFileSync(file, 'utf8')).toBe('');
    });
  });
});

describe('piped input', () => {
  async function hearAll(chunks: Iterable<string | Uint8Array>): Promise<InputEvent[]> {
    const input = createPipedInput(Readable.from([...chunks].map((chunk) => Buffer.from(chunk))));
    onTestFinished(() => input.close());
    const events: InputEvent[] = [];
    do events.push(await input.next());
    while (events.at(-1)?.is !== 'end');
    return events;
  }

  test('each line is a message, joined by backslashes, in whatever pieces it comes', async () => {
    const bytes = Buffer.from('one\r\ntwo\\\nthrée 🦉\n\nlast');
    for (const chunks of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
      expect(await hearAll(chunks)).toEqual([
        { is: 'text', text: 'one' },
        { is: 'text', text: 'two\nthrée 🦉' },
        { is: 'text', text: '' },
        { is: 'text', text: 'last' },
        { is: 'end', cause: 'closed' },
      ]);
    }
    expect(await hearAll(['open\\\n'])).toEqual([
      { is: 'text', text: 'open' },
      { is: 'end', cause: 'closed' },
    ]);
  });

  test('input that is not text, or too long for a message, is refused', async () => {
    await expect(hearAll([Uint8Array.of(0xff, 0x0a)])).rejects.toThrow('not UTF-8 text');
    await expect(hearAll([Uint8Array.of(0xc3)])).rejects.toThrow('not UTF-8 text');
    await expect(hearAll(['x'.repeat(10_000_001)])).rejects.toThrow('10 million characters');
    await expect(hearAll(Array(12).fill(`${'x'.repeat(1_000_000)}\\\n`))).rejects.toThrow(
      '10 million characters',
    );
  });

  test('Ctrl-C ends what runs, and then the chat', async () => {
    const input = createPipedInput(new Readable({ read: () => undefined }));
    onTestFinished(() => input.close());
    let interrupts = 0;
    const busy = input.whileBusy(() => (interrupts += 1));
    process.emit('SIGINT');
    busy.stop();
    expect(interrupts).toBe(1);
    expect(await input.next()).toEqual({ is: 'end', cause: 'interrupted' });
  });
});
