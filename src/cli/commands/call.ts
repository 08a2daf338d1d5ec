import { systemClock } from '#app/system.ts';
import type { DaemonClient } from '#client/daemon-client.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import { CLI_WAIT_HELP } from '#core/time/call-times.ts';
import { formatEnvelopeFooter } from '../ask/answer-footer.ts';
import { readCallArgs } from '../call-args.ts';
import { callArgsOf, parseCallPairs } from '../call-pairs.ts';
import {
  formatCallFailure,
  callFailureResult,
  readCallResult,
  unrecordedAnswer,
} from '../call-result.ts';
import { defineCommand } from '../command.ts';
import { paintFor } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { createProgressLine } from '../format/progress.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { printRawJson } from '../io.ts';
import { reportDetachedJob } from '../jobs/job-result.ts';
import { cliRenderer } from '../messages/cli-sentences.ts';
import {
  withoutShownNotices,
  renderPageHint,
  renderNoticeTexts,
} from '../messages/notice-texts.ts';
import { parseTimeoutOption } from '../number-options.ts';
import { runWithDaemon, printNotices } from '../run-with-daemon.ts';
import { listAllTools, listTools } from './tools.ts';

/** The `_meta` key of a call whose caller does not wait for the answer. */
const BACKGROUND_KEY = 'exai/background';
const RESULT_TOOL = 'job_result';

export const command = defineCommand({
  name: 'call',
  summary: 'Call a tool (starts the daemon if needed)',
  about:
    'Prints the answer as text. Exits with the code of its error class; docs/errors.md lists them. Ctrl-C cancels ' +
    'the call. With --background it becomes a job that does not depend on this terminal: exai jobs lists them.\n' +
    'An argument is name=value. Where the tool wants a number, true or false, it is one; a list is given item by item: ' +
    'files=a.ts files=b.ts; everything else is text. name:=value is JSON. Pairs are added to --args, and replace what ' +
    'it says.\n' +
    '  exai call activity lines=20 since=1h\n' +
    `  exai call activity --args '{"lines": 20, "since": "1h"}'`,
  positionals: [{ name: 'tool', need: 'required', help: 'Its name, as exai tools lists it' }],
  rest: { name: 'name=value', help: 'Its arguments, typed as the tool wants them' },
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
    timeout: { type: 'string', value: 'S', help: CLI_WAIT_HELP },
    background: {
      type: 'boolean',
      help: 'Print the id of a job at once, and do not wait for the answer',
    },
    json: { type: 'boolean', help: 'Print the whole envelope of the answer' },
  },
  signals: 'own',
  async run({ options, positionals, rest = [] }, io) {
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
    const wait = parseTimeoutOption(options.timeout);
    const interrupt = listenForInterrupt(io.signal);
    const progress = createProgressLine(io, systemClock);
    try {
      const { signal } = interrupt;
      const pairs = parseCallPairs(rest);
      const written = await readCallArgs(options, signal);
      const tool = positionals['tool'] ?? '';
      const isBackground = options.background === true;
      const meta = isBackground ? { _meta: { [BACKGROUND_KEY]: true } } : {};
      let notices: readonly SentNotice[] = [];
      const result = await runWithDaemon(
        io,
        async (client) => {
          ({ notices } = client);
          const schema = pairs.length === 0 ? undefined : await inputSchemaOf(client, tool);
          const args = { ...written, ...callArgsOf(pairs, schema) };
          const params = { name: tool, arguments: args, ...meta };
          return client.request('tools/call', params, {
            signal,
            ...wait,
            ...(!isBackground && { onProgress: progress.show }),
          });
        },
        { noticeOutput: 'skip', as: 'bearer' },
      ).then(readCallResult, (thrown: unknown) => callFailureResult(thrown, tool));
      progress.clear();
      const { text, envelope, exit } = result;
      printNotices(io, renderNoticeTexts(withoutShownNotices(notices, envelope), cliRenderer));
      const format = options.json ? 'json' : 'text';
      if (options.json) printRawJson(io, envelope);
      // For this tool the state of a job is the answer.
      const left =
        tool === RESULT_TOOL
          ? undefined
          : reportDetachedJob(io, result, { format, what: isBackground ? 'job' : 'answer' });
      if (options.json || left !== undefined) return left ?? exit;
      if (isBackground && exit === 0) {
        io.stderr.write('exai: This tool does not run in the background; here is its answer.\n');
      }
      if (exit === 0) io.stdout.write(`${text}\n`);
      else {
        const paid = unrecordedAnswer(result);
        if (paid !== undefined) io.stdout.write(`${escapeControls(paid)}\n`);
        io.stderr.write(`exai: ${formatCallFailure(result, cliRenderer)}\n`);
      }
      for (const each of renderPageHint(envelope, cliRenderer))
        io.stderr.write(`exai: ${escapeControls(each)}\n`);
      const line = formatEnvelopeFooter(envelope);
      const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
      if (line !== '') io.stderr.write(`${paint('dim', escapeControls(line))}\n`);
      return exit;
    } finally {
      progress.clear();
      interrupt.stop();
    }
  },
});

/** Undefined where the tool is not known; the call then says so. */
async function inputSchemaOf(client: DaemonClient, tool: string): Promise<unknown> {
  const tools = await listAllTools(client).catch((thrown: unknown) => {
    // Only the owner can list all tools; for a client with a token there is no such method.
    if (CallError.from(thrown).class !== 'not_found') throw thrown;
    return listTools(client);
  });
  return tools.find(({ name }) => name === tool)?.inputSchema;
}
