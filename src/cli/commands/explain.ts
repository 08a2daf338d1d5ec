import { systemClock } from '#app/system.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { ERROR_POLICY, isErrorClass } from '#core/errors/error-class.ts';
import {
  buildQuestionRequest,
  buildRouteRequest,
  colorExplanation,
  isToolName,
  type RouteToolRequest,
} from '../ask/explain.ts';
import { readCallArgs } from '../call-args.ts';
import { callFailureResult, readCallResult } from '../call-result.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson, type Io } from '../io.ts';
import { explainRenderer } from '../messages/cli-sentences.ts';
import { readFailure, formatFailureLines } from '../messages/failure.ts';
import { readStdin, WAITING_FOR_STDIN } from '../read-stdin.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

type ReadResult = ReturnType<typeof readCallResult>;

const TOOL = 'route';
const WHAT = 'tool or question';

export const command = defineCommand({
  name: 'explain',
  summary: 'Show which model would answer, and why, without a model call',
  about:
    'Shows the facts of the request, every rule up to the one that decides (>), the models in order, the excluded ' +
    'models, and with --payload the request itself. No model is called and nothing is spent. Starts the daemon if ' +
    'needed. Standard input is used as in exai ask. When no model is available, it exits with ' +
    'the code of the error class; docs/errors.md lists them.\n' +
    '  exai explain "What is new in Node.js today?"\n' +
    '  git diff | exai explain "What could go wrong with this change?"\n' +
    `  exai explain chat --args '{"prompt": "Hello", "model": "kimi-k3"}' --payload\n` +
    '  exai explain thinkdeep --args @step.json --json\n' +
    '  exai explain gateway_chat --args @body.json',
  positionals: [
    {
      name: WHAT,
      need: 'optional',
      help: 'The name of a tool, else a question, in quotes or piped in',
    },
  ],
  extraArgumentError: 'A question is one argument; put it in quotes.',
  options: {
    args: {
      type: 'string',
      value: 'JSON',
      help: 'Its arguments: a JSON object, @FILE with one, or - for standard input',
    },
    payload: { type: 'boolean', help: 'Also what would be sent, without the key' },
    json: { type: 'boolean', help: 'Print the explanation as one JSON document' },
  },
  async run({ options, positionals }, io) {
    const args = await readCallArgs(options, io.signal);
    const wanted = options.payload ? 'with_payload' : 'plan_only';
    const what = positionals[WHAT];
    // A tool is described by its arguments, which may themselves be piped in.
    const isPiped = !isToolName(what) && options.args !== '-';
    const input = isPiped ? await readPipedText(io) : '';
    const request = buildRouteRequest(what, args, wanted, input);
    const named = await requestRoute(request, io);
    const isQuestion = options.args === undefined && isToolName(what) && isNoTool(named);
    if (isQuestion) {
      const { message } = readFailure(named.envelope, named.text);
      io.stderr.write(escapeControls(`${message} "${what}" is taken as a question.\n`));
    }
    const { text, envelope, exit } = isQuestion
      ? await requestRoute(buildQuestionRequest(what, wanted, await readPipedText(io)), io)
      : named;
    if (exit !== 0) {
      if (options.json) printRawJson(io, envelope);
      else {
        const failureText = formatFailureLines(readFailure(envelope, text), explainRenderer);
        io.stderr.write(escapeControls(`exai: ${failureText}\n`));
      }
      return exit;
    }
    const { content } = envelope as { content?: { error?: { class?: unknown } } };
    if (options.json) printRawJson(io, content);
    else io.stdout.write(`${colorExplanation(text, io.paint)}\n`);
    return exitOf(content?.error?.class);
  },
});

function readPipedText(io: Io): Promise<string> {
  return readStdin({
    input: process.stdin,
    signal: io.signal,
    clock: systemClock,
    onWaiting: () => io.stderr.write(WAITING_FOR_STDIN),
  });
}

function requestRoute(request: RouteToolRequest, io: Io): Promise<ReadResult> {
  return runWithDaemon(
    io,
    (client) => client.request('tools/call', { name: TOOL, arguments: request }),
    { as: 'bearer' },
  ).then(readCallResult, (thrown: unknown) => callFailureResult(thrown, TOOL));
}

/** Whether no tool has this name: a question of one word looks like one. */
function isNoTool({ envelope }: Pick<ReadResult, 'envelope'>): boolean {
  return (envelope as Partial<Envelope>).error_class === 'not_found';
}

function exitOf(errorClass: unknown): number {
  return typeof errorClass === 'string' && isErrorClass(errorClass)
    ? ERROR_POLICY[errorClass].exit
    : 0;
}
