import { answeredBy } from '../answered-by.ts';
import { askDaemon, tellNotices } from '../ask-daemon.ts';
import { callArgs } from '../call-args.ts';
import { harmless, readCallFailure, readCallResult } from '../call-result.ts';
import { callWords } from '../call-words.ts';
import { createProgressLine } from '../progress-line.ts';
import { defineCommand } from '../command.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { paintFor } from '../paint.ts';
import { printAsIs } from '../print-as-is.ts';
import { secondsMs } from '../seconds.ts';

const DEFAULT_TIMEOUT_S = '600';

export const command = defineCommand({
  name: 'call',
  summary: 'Call a tool of the daemon, which is started if need be',
  about:
    'Prints the answer as text. Exits with the code of its error class; docs/errors.md lists them. Ctrl-C cancels ' +
    'the call.\n' +
    `  exai call activity --args '{"lines": 20, "since": "1h"}'`,
  positionals: [{ name: 'tool', need: 'required', help: 'Its name, as exai tools lists it' }],
  options: {
    args: {
      type: 'string',
      value: 'JSON',
      help: 'Its arguments: a JSON object, @FILE with one, or - for standard input',
    },
    'args-file': {
      type: 'string',
      value: 'F',
      help: 'Read them from this file; - is standard input',
    },
    timeout: {
      type: 'string',
      value: 'S',
      help: `Seconds to wait at most; ${DEFAULT_TIMEOUT_S} unless told`,
    },
    json: { type: 'boolean', help: 'Print the whole envelope of the answer' },
  },
  signals: 'own',
  async run({ options, positionals }, io) {
    const timeoutMs = secondsMs(options.timeout ?? DEFAULT_TIMEOUT_S, '--timeout');
    const interrupt = listenForInterrupt(io.signal);
    const progress = createProgressLine(io);
    try {
      const { signal } = interrupt;
      const args = await callArgs(options, signal);
      const tool = positionals['tool'] ?? '';
      const params = { name: tool, arguments: args };
      let notices: readonly string[] = [];
      const { text, envelope, exit } = await askDaemon(
        io,
        (client) => {
          ({ notices } = client);
          return client.request('tools/call', params, {
            signal,
            timeoutMs,
            onProgress: progress.show,
          });
        },
        { notices: 'left to the work', as: 'bearer' },
      ).then(readCallResult, (thrown: unknown) => readCallFailure(thrown, tool));
      progress.clear();
      // Some answers say the same; nobody wants to read it twice.
      tellNotices(
        io,
        notices.filter((notice) => !text.includes(notice)),
      );
      if (options.json) {
        printAsIs(io, envelope);
        return exit;
      }
      if (exit === 0) io.stdout.write(`${text}\n`);
      else io.stderr.write(`exai: ${callWords(text)}\n`);
      const line = answeredBy(envelope, text);
      const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
      if (line !== '') io.stderr.write(`${paint('dim', harmless(line))}\n`);
      return exit;
    } finally {
      progress.clear();
      interrupt.stop();
    }
  },
});
