import { systemClock } from '#app/system.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { ERROR_POLICY, isErrorClass } from '#core/errors/error-class.ts';
import {
  buildRouteRequest,
  colorExplanation,
  formatAsQuestion,
  isToolName,
  type RouteToolRequest,
} from '../ask/explain.ts';
import { readCallArgs } from '../call-args.ts';
import { callFailureResult, readCallResult } from '../call-result.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { explainRenderer } from '../messages/cli-sentences.ts';
import { readFailure, formatFailureLines } from '../messages/failure.ts';
import { readStdin, WAITING_FOR_STDIN } from '../read-stdin.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

const TOOL = 'route';
const WHAT = 'tool or question';

export const command = defineCommand({
  name: 'explain',
  summary: 'Say which model would answer, and why, without asking it',
  about:
    'Shows what is known of the request, every rule up to the one that wins (>), who is asked in which order, who is ' +
    'left out, and with --payload the very request. No model is asked and nothing is spent; the daemon is started if ' +
    'need be. What is piped in belongs to a question as it does in exai ask. When nobody could answer, it exits with ' +
    'the code of the error class; docs/errors.md lists them.\n' +
    '  exai explain "What is new in Node.js today?"\n' +
    '  git diff | exai explain "What could go wrong with this change?"\n' +
    `  exai explain chat --args '{"prompt": "Hello", "model": "kimi-k3"}' --payload\n` +
    '  exai explain thinkdeep --args @step.json --json\n' +
    '  exai explain gateway_chat --args @body.json   of a request to /v1/chat/completions',
  positionals: [
    {
      name: WHAT,
      need: 'optional',
      help: 'One word is a name; a question stands in quotes, or is piped in',
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
    const input = isPiped
      ? await readStdin({
          input: process.stdin,
          signal: io.signal,
          clock: systemClock,
          onWaiting: () => io.stderr.write(WAITING_FOR_STDIN),
        })
      : '';
    const request = buildRouteRequest(what, args, wanted, input);
    const result = await runWithDaemon(
      io,
      (client) => client.request('tools/call', { name: TOOL, arguments: request }),
      { as: 'bearer' },
    ).then(readCallResult, (thrown: unknown) => callFailureResult(thrown, TOOL));
    const { text, envelope, exit } = result;
    if (exit !== 0) {
      if (options.json) printRawJson(io, envelope);
      else {
        const failureText = formatFailureLines(readFailure(envelope, text), explainRenderer);
        io.stderr.write(escapeControls(`exai: ${failureText}${hintFor(envelope, request)}\n`));
      }
      return exit;
    }
    const { content } = envelope as { content?: { error?: { class?: unknown } } };
    if (options.json) printRawJson(io, content);
    else io.stdout.write(`${colorExplanation(text, io.paint)}\n`);
    return exitOf(content?.error?.class);
  },
});

/** A question of one word looks like a tool name. */
function hintFor(envelope: unknown, { tool, args }: RouteToolRequest): string {
  const { error_class: errorClass } = envelope as Partial<Envelope>;
  const isAlone = errorClass === 'not_found' && Object.keys(args).length === 0;
  return isAlone ? `\n  as a question: ${formatAsQuestion(tool)}` : '';
}

function exitOf(errorClass: unknown): number {
  return typeof errorClass === 'string' && isErrorClass(errorClass)
    ? ERROR_POLICY[errorClass].exit
    : 0;
}
