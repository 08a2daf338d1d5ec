import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createTerminalInput } from './terminal-input.ts';

/** A terminal with scripted keys. */
function terminal(history: readonly string[] = []) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (mode: boolean) => void modes.push(mode),
  });
  let screen = '';
  const typed: string[] = [];
  const errors: string[] = [];
  const size = Object.assign(new EventEmitter(), { columns: 80 });
  const chat = createTerminalInput({
    input,
    output: { write: (text) => void (screen += text) },
    size,
    prompts: { first: '> ', more: '. ', lineBreak: '⏎' },
    history,
    maxHistory: 10,
    commands: ['/model', '/models', '/exit'],
    onLine: (line) => void typed.push(line),
    showError: (sentence) => void errors.push(sentence),
  });
  onTestFinished(() => chat.close());
  return {
    chat,
    input,
    size,
    modes,
    typed,
    errors,
    type: (keys: string) => void input.emit('data', keys),
    screen: () => screen,
    seen: () => stripVTControlCharacters(screen),
  };
}

const PASTE = (text: string) => `\u001b[200~${text}\u001b[201~`;

test('a line is edited and delivered when it is ended', async () => {
  const { chat, type, seen, typed } = terminal();
  const next = chat.next();
  type('Helo\u001b[Dl\r');
  expect(await next).toEqual({ is: 'text', text: 'Hello' });
  expect(typed).toEqual(['Hello']);
  expect(seen()).toContain('> Hel');
});

test('what is typed while no line is awaited is neither shown nor lost, one line at a time', async () => {
  const { chat, type, screen } = terminal();
  const before = screen();
  type('first\rsec');
  type('ond\r\nthird');
  expect(screen()).toBe(before);
  expect(await chat.next()).toEqual({ is: 'text', text: 'first' });
  expect(await chat.next()).toEqual({ is: 'text', text: 'second' });
  const third = chat.next();
  type('!\r');
  expect(await third).toEqual({ is: 'text', text: 'third!' });
});

test('a backslash and a pasted block make one message of several lines', async () => {
  const { chat, type, seen } = terminal();
  const next = chat.next();
  type('Sum up:\\\r');
  type(PASTE('one\rtwo'));
  type(' please\r');
  expect(await next).toEqual({ is: 'text', text: 'Sum up:\none\ntwo please' });
  expect(seen()).toContain('. [pasted #1: 2 lines] please');
});

test('a pasted line can be edited before it is sent', async () => {
  const { chat, type } = terminal();
  const next = chat.next();
  type(PASTE('SELECT 2;\r'));
  type('\u007f!\u001b[D\u001b[D');
  type(PASTE('4'));
  type('\r');
  expect(await next).toEqual({ is: 'text', text: 'SELECT 42!' });
});

test('Ctrl-C drops what was typed, and tells when there was nothing', async () => {
  const { chat, type, seen } = terminal();
  const some = chat.next();
  type(`${'long '.repeat(40)}\u0003`);
  expect(await some).toEqual({ is: 'interrupt', dropped: 'something' });
  expect(seen()).toContain('long ^C');
  const joined = chat.next();
  type('half\\\r\u0003');
  expect(await joined).toEqual({ is: 'interrupt', dropped: 'something' });
  const none = chat.next();
  type('\u0003');
  expect(await none).toEqual({ is: 'interrupt', dropped: 'nothing' });
  const whole = chat.next();
  type('whole\r');
  expect(await whole).toEqual({ is: 'text', text: 'whole' });
});

test('Ctrl-C while something runs ends that, and forgets what was typed before it', async () => {
  const { chat, type } = terminal();
  let interrupts = 0;
  const busy = chat.whileBusy(() => (interrupts += 1));
  type('never mind');
  type('\u0003');
  process.emit('SIGINT');
  busy.stop();
  expect(interrupts).toBe(2);
  const next = chat.next();
  type('next\r');
  expect(await next).toEqual({ is: 'text', text: 'next' });
});

test('Ctrl-D on an empty line, and a terminal that is gone, end the chat for good', async () => {
  const first = terminal();
  const next = first.chat.next();
  first.type('\u0004');
  expect(await next).toEqual({ is: 'end', cause: 'closed' });
  expect(await first.chat.next()).toEqual({ is: 'end', cause: 'closed' });
  const second = terminal();
  const gone = second.chat.next();
  second.input.emit('end');
  expect(await gone).toEqual({ is: 'end', cause: 'closed' });
});

test('earlier lines come back, and Tab completes commands', async () => {
  const { chat, type } = terminal(['older', 'newer']);
  const old = chat.next();
  type('\u001b[A');
  type('\u001b[A');
  type('\r');
  expect(await old).toEqual({ is: 'text', text: 'older' });
  const completed = chat.next();
  type('/e');
  type('\t');
  await Promise.resolve();
  type('\r');
  expect(await completed).toEqual({ is: 'text', text: '/exit' });
});

test('a message of several lines comes back whole, and can be edited and sent again', async () => {
  const { chat, type, typed, seen } = terminal(['older', 'kept\\\nbefore']);
  const next = chat.next();
  type('one\\\r');
  type('two\\\r');
  type('three\r');
  expect(await next).toEqual({ is: 'text', text: 'one\ntwo\nthree' });
  const again = chat.next();
  type('\u001b[A');
  expect(seen()).toContain('> one\\⏎two\\⏎three');
  type('!\r');
  expect(await again).toEqual({ is: 'text', text: 'one\ntwo\nthree!' });
  const older = chat.next();
  for (const _ of [1, 2, 3]) type('\u001b[A');
  type('\r');
  expect(await older).toEqual({ is: 'text', text: 'kept\nbefore' });
  expect(typed).toEqual(['one\\\ntwo\\\nthree', 'one\\\ntwo\\\nthree!', 'kept\\\nbefore']);
});

test('a resize redraws the line that is edited, and nothing while an answer is shown', async () => {
  const { chat, type, size, screen } = terminal();
  const next = chat.next();
  type('text');
  const before = screen();
  size.emit('resize');
  expect(screen().length).toBeGreaterThan(before.length);
  type('\r');
  await next;
  const after = screen();
  size.emit('resize');
  expect(screen()).toBe(after);
});

test('the terminal is restored, once', () => {
  const { chat, modes, screen } = terminal();
  expect(modes).toEqual([true]);
  chat.close();
  const after = screen();
  chat.close();
  expect(modes.at(-1)).toBe(false);
  expect(screen()).toBe(after);
  expect(after.split('\u001b[?2004l')).toHaveLength(2);
});

test('a paste that is too long is refused, and the line can still be edited', async () => {
  const { chat, type, errors } = terminal();
  const next = chat.next();
  type('begun ');
  type(PASTE('x\r'.repeat(5_000_001)));
  type('ended\r');
  expect(await next).toEqual({ is: 'text', text: 'begun ended' });
  expect(errors).toEqual([expect.stringContaining('10 million characters')]);
});
