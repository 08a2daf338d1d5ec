import type { Tool } from '#core/tool.ts';
import { fixture, NO_INPUT } from './fixture.ts';
import type { ConformanceWorld } from './kit.ts';

const PAUSE_MS = 50;
/** Longer than the door keeps a stream open for the suite, and less than twice as long: its client comes back once. */
const LONG_MS = 500;

const LOGGED = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
const STEPS = [0, 50, 100];

/** What a tool says before it answers, or while it lets its client wait. */
export function talkingTools({ wait }: Pick<ConformanceWorld, 'wait'>): readonly Tool[] {
  return [
    fixture({
      name: 'test_tool_with_logging',
      description: 'Tells the log of the client three things.',
      input: NO_INPUT,
      async run(_args, context) {
        for (const [index, data] of LOGGED.entries()) {
          if (index > 0) await wait(PAUSE_MS, context.signal);
          context.say('info', data);
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
        context.say('info', 'The tool ran.');
        return { text: 'The log was told.' };
      },
    }),
    fixture({
      name: 'test_reconnection',
      description: 'Takes so long that the stream of its answer is closed and has to be resumed.',
      input: NO_INPUT,
      async run(_args, { signal }) {
        await wait(LONG_MS, signal);
        return { text: 'Whoever reads this came back for it.' };
      },
    }),
  ];
}
