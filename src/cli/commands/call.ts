import { systemClock } from '#app/system.ts';
import { CallError } from '#core/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { answeredBy } from '../answered-by.ts';
import { askDaemon, tellNotices } from '../ask-daemon.ts';
import { callArgs } from '../call-args.ts';
import { failureOf, readCallFailure, readCallResult } from '../call-result.ts';
import { createProgressLine } from '../progress-line.ts';
import { defineCommand } from '../command.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { tellHandedOff } from '../job-handed-off.ts';
import { cliRenderer } from '../messages/cli-sentences.ts';
import { notShown, pageText, textsOf } from '../messages/notice-texts.ts';
import { paintFor } from '../paint.ts';
import { printAsIs } from '../print-as-is.ts';
import { secondsMs } from '../seconds.ts';
import { harmless } from '../terminal-text.ts';

const DEFAULT_TIMEOUT_S = '600';
/** In `_meta` of a call: its caller does not wait for the answer. */
const BACKGROUND_KEY = 'exai/background';
const RESULT_TOOL = 'job_result';

export const command = defineCommand({
  name: 'call',
  summary: 'Call a tool of the daemon, which is started if need be',
  about:
    'Prints the answer as text. Exits with the code of its error class; docs/errors.md lists them. Ctrl-C cancels ' +
    'the call. With --background it goes on as a job, whatever becomes of this terminal: exai jobs lists them.\n' +
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
    background: {
      type: 'boolean',
      help: 'Print the id of a job at once, and do not wait for the answer',
    },
    json: { type: 'boolean', help: 'Print the whole envelope of the answer' },
  },
  signals: 'own',
  async run({ options, positionals }, io) {
    if (options.background && options.timeout !== undefined) {
      throw new CallError(
        'bad_request',
        '--background does not wait, so --timeout has no meaning.',
        {
          field: '--timeout',
          fix: 'Leave one of them out.',
        },
      );
    }
    const timeoutMs = secondsMs(options.timeout ?? DEFAULT_TIMEOUT_S, '--timeout');
    const interrupt = listenForInterrupt(io.signal);
    const progress = createProgressLine(io, systemClock);
    try {
      const { signal } = interrupt;
      const args = await callArgs(options, signal);
      const tool = positionals['tool'] ?? '';
      const isBackground = options.background === true;
      const wish = isBackground ? { _meta: { [BACKGROUND_KEY]: true } } : {};
      const params = { name: tool, arguments: args, ...wish };
      let notices: readonly SentNotice[] = [];
      const result = await askDaemon(
        io,
        (client) => {
          ({ notices } = client);
          return client.request('tools/call', params, {
            signal,
            timeoutMs,
            ...(!isBackground && { onProgress: progress.show }),
          });
        },
        { notices: 'left to the work', as: 'bearer' },
      ).then(readCallResult, (thrown: unknown) => readCallFailure(thrown, tool));
      progress.clear();
      const { text, envelope, exit } = result;
      tellNotices(io, textsOf(notShown(notices, envelope), cliRenderer));
      const format = options.json ? 'json' : 'words';
      if (options.json) printAsIs(io, envelope);
      // How a job stands is an answer of its own.
      const left =
        tool === RESULT_TOOL
          ? undefined
          : tellHandedOff(io, result, { format, what: isBackground ? 'job' : 'answer' });
      if (options.json || left !== undefined) return left ?? exit;
      if (isBackground && exit === 0) {
        io.stderr.write('exai: This tool does not run in the background; here is its answer.\n');
      }
      if (exit === 0) io.stdout.write(`${text}\n`);
      else io.stderr.write(`exai: ${failureOf(result, cliRenderer)}\n`);
      for (const each of pageText(envelope, cliRenderer))
        io.stderr.write(`exai: ${harmless(each)}\n`);
      const line = answeredBy(envelope);
      const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
      if (line !== '') io.stderr.write(`${paint('dim', harmless(line))}\n`);
      return exit;
    } finally {
      progress.clear();
      interrupt.stop();
    }
  },
});
