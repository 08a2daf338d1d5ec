import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { InputRequired, InputResponses, InputRequests } from '#core/tools/input-request.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import { formRequest, readAnswers } from './input-requests.ts';
import type { ConformanceDeps } from './kit.ts';

/** Longer than a call waits before it becomes a task for a client with the tasks extension. */
const LONG_MS = 250;
/** The suite gives tasks that it only cancels a run time of a minute. */
const TIMEOUT_MS = 120_000;
const AT_ONCE = { background: 'immediate', timeoutMs: TIMEOUT_MS } as const;

const CONFIRM = { confirm: formRequest('Delete the file?', 'confirm', 'boolean') };
const BOTH = {
  name: formRequest('What is the name?', 'name', 'string'),
  confirm: formRequest('Is it right?', 'confirm', 'boolean'),
};
const NAME = { user_name: formRequest('What is your name?', 'name', 'string') };

/** Long-running tools for clients with the tasks extension. */
export function taskTools({ wait }: Pick<ConformanceDeps, 'wait'>): readonly Tool[] {
  const work = ({ signal }: ToolContext, ms = LONG_MS) => wait(ms, signal);
  return [
    fixture({
      name: 'greet',
      description: 'Greets, and is never a task.',
      input: z.strictObject({ name: z.string().describe('Whom.') }),
      run: async ({ name }) => ({ text: `Hello, ${name}!` }),
    }),
    fixture({
      name: 'slow_compute',
      description: 'Takes as long as it is told.',
      input: z.strictObject({
        seconds: z.number().min(0).max(60).describe('How long.'),
        label: z.string().optional().describe('What it is for.'),
      }),
      ...AT_ONCE,
      async run({ seconds, label = 'it' }, context) {
        if (seconds > 0) await work(context, seconds * 1000);
        context.signal.throwIfAborted();
        return { text: `Computed ${label} in ${seconds} s.` };
      },
    }),
    fixture({
      name: 'failing_job',
      description: 'Fails after a while, and is only for clients that follow tasks.',
      input: NO_INPUT,
      ...AT_ONCE,
      async run(_args, context) {
        needsTasks(context);
        await work(context);
        throw new CallError('tool_error', 'This job intentionally fails for testing');
      },
    }),
    fixture({
      name: 'protocol_error_job',
      description: 'Ends after a while in an error of the protocol.',
      input: NO_INPUT,
      ...AT_ONCE,
      async run(_args, context) {
        await work(context);
        // An error of a tool is a result; a missing client capability is a protocol error.
        const words = 'This job intentionally needs what no client offers, for testing';
        throw new CallError('bad_request', words, { lacks: ['visit'] });
      },
    }),
    fixture({
      name: 'confirm_delete',
      description: 'Asks for a yes while it is a task.',
      input: z.strictObject({ filename: z.string().describe('What to pretend to delete.') }),
      ...AT_ONCE,
      async run({ filename }, context) {
        await work(context);
        return askFor(CONFIRM, context.answers, ({ confirm }) => `${filename}: ${confirm}`);
      },
    }),
    fixture({
      name: 'multi_input',
      description: 'Asks for two things at once while it is a task.',
      input: NO_INPUT,
      ...AT_ONCE,
      async run(_args, context) {
        await work(context);
        return askFor(BOTH, context.answers, ({ name, confirm }) => `${name}: ${confirm}`);
      },
    }),
    fixture({
      name: 'test_tool_with_task',
      description: 'Asks for a name first, and then becomes a task.',
      input: NO_INPUT,
      ...AT_ONCE,
      async run(_args, context) {
        needsTasks(context);
        const answer = askFor(NAME, context.answers, ({ user_name: name }) => `Hello, ${name}!`);
        if (!('inputRequests' in answer)) await work(context);
        return answer;
      },
    }),
  ];
}

function needsTasks({ tool, clientCapabilities }: ToolContext): void {
  if (clientCapabilities.includes('tasks')) return;
  const fix = 'Use a client that has the tasks extension.';
  throw new CallError('bad_request', `${tool} takes so long that it is only offered as a task.`, {
    lacks: ['tasks'],
    fix,
  });
}

/** Sends the open input requests, or answers once all are answered. */
function askFor(
  questions: InputRequests,
  answers: InputResponses,
  say: (answered: Readonly<Record<string, string>>) => string,
): ToolResult | InputRequired {
  const { answered, open, declined } = readAnswers(questions, answers);
  if (declined !== undefined) return { text: `The user did not answer "${declined}".` };
  if (Object.keys(open).length > 0) return { inputRequests: open };
  return { text: say(answered) };
}
