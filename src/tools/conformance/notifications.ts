import type { Tool } from '#core/tools/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import type { ConformanceDeps } from './kit.ts';

/** Tools that change a list, so that subscribers are notified. */
export function subscriptionTools({
  toolsChanged,
  promptsChanged,
}: Pick<ConformanceDeps, 'toolsChanged' | 'promptsChanged'>): readonly Tool[] {
  return [
    trigger('test_trigger_tool_change', 'tools', toolsChanged),
    trigger('test_trigger_prompt_change', 'prompts', promptsChanged),
  ];
}

function trigger(name: string, list: string, change: () => void): Tool {
  return fixture({
    name,
    description: `Has the list of ${list} change.`,
    input: NO_INPUT,
    effect: 'changes',
    async run() {
      change();
      return { text: `The list of ${list} has changed.` };
    },
  });
}

const PAUSE_MS = 50;
/**
 * Longer than the transport keeps a stream open for the suite, and less than twice as long, so that
 * the client reconnects once.
 */
const LONG_MS = 500;

const LOGGED = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
const STEPS = [0, 50, 100];

/** Tools that log or report progress before they answer, or answer late. */
export function progressTools({ wait }: Pick<ConformanceDeps, 'wait'>): readonly Tool[] {
  return [
    fixture({
      name: 'test_tool_with_logging',
      description: 'Tells the log of the client three things.',
      input: NO_INPUT,
      async run(_args, context) {
        for (const [index, data] of LOGGED.entries()) {
          if (index > 0) await wait(PAUSE_MS, context.signal);
          context.logToClient('info', data);
        }
        return { text: 'Three things were told to the log.' };
      },
    }),
    fixture({
      name: 'test_tool_with_progress',
      description: 'Tells how far it has come, three times.',
      input: NO_INPUT,
      async run(_args, context) {
        for (const done of STEPS) {
          if (done > 0) await wait(PAUSE_MS, context.signal);
          context.progress({ done, total: 100 });
        }
        return { text: 'It went all the way.' };
      },
    }),
    fixture({
      name: 'test_logging_tool',
      description:
        'Tells the log of the client one thing, which only reaches those who asked for it.',
      input: NO_INPUT,
      async run(_args, context) {
        context.logToClient('info', 'The tool ran.');
        return { text: 'The log was told.' };
      },
    }),
    fixture({
      name: 'test_reconnection',
      description: 'Takes so long that the stream of its answer is closed and has to be resumed.',
      input: NO_INPUT,
      async run(_args, { signal }) {
        await wait(LONG_MS, signal);
        return { text: 'A client that reads this has reconnected.' };
      },
    }),
  ];
}
