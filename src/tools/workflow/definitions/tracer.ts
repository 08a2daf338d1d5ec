import * as z from 'zod';
import type { WorkflowDefinition } from '../definition.ts';
import { textField } from './fields.ts';
import { END, stageOf, type Stages } from './stage.ts';

const MODES = ['precision', 'dependencies', 'ask'] as const;

const FIELDS = {
  target_description: textField.refine((text) => /\S/.test(text), 'it says nothing'),
  trace_mode: z.enum(MODES).describe('precision: calls; dependencies: structure.'),
};

const CHOOSE = [
  'Use trace_mode precision for a function or method: who calls it, what it calls, in which order, under which conditions, with which effects.',
  'Use trace_mode dependencies for a class, module or folder: what it needs, what needs it, and by which kind of tie.',
  'Ask the user which of them is meant, unless the target decides it.',
  'Do this step again with the trace_mode that was chosen; it takes the place of this one.',
];

const PRECISION: Stages = {
  first: [
    'Find where the target is defined, and note file, line and whole signature.',
    'Find every place that calls it: directly, through an interface, as a callback, by an event, a route or a name in settings.',
    'Read what it calls in the order of execution, and note the condition of each call.',
    'Note effects where they happen: writes, messages, network, shared state.',
  ],
  middle: [
    'Follow each open branch one level further, up to the entry points on one side and to library or system calls on the other.',
    'Find out what can stand behind each interface or callback, and what chooses among it.',
    'Follow the paths for errors and early returns as carefully as the main one.',
    'Mark every edge that you inferred and did not see.',
  ],
  last: [
    'Check each edge once more against the code, and take out or mark what you cannot point at.',
    'Show the calls as an indented tree: function, file:line, condition; effects below the call they belong to.',
    'Add a table of the entry points: who calls, from where, when.',
    'Close with what remained open, above all calls that are decided while running.',
    END,
  ],
};

const DEPENDENCIES: Stages = {
  first: [
    'Find where the target is defined, and what it offers to others, with file and line.',
    'List what it needs: imports, base types, injected parts, settings, tables, services.',
    'Search the whole project for what needs it: imports, subclasses, types in signatures, names in settings and text.',
    'Note for each tie its kind: uses, creates, extends, implements, reads or writes the same data.',
  ],
  middle: [
    'Follow the strongest ties one step further in both directions.',
    'Look for ties that no import shows: shared tables, events, globals, files, names built from strings.',
    'Look for cycles, and for ties that run against the direction of the layers.',
    'Mark every tie that you inferred and did not see.',
  ],
  last: [
    'Check each tie once more against the code, and take out or mark what you cannot point at.',
    'Show two lists: what it needs and what needs it, grouped by kind of tie, each with file:line.',
    'Add the cycles, the hidden ties, and what would break first if the target changed.',
    END,
  ],
};

export const tracer: WorkflowDefinition<typeof FIELDS> = {
  name: 'tracer',
  title: 'Trace',
  description:
    'Trace step by step how a function is called and what it does, or what a module depends on. Makes no model call.',
  profile: 'full',
  category: 'balanced',
  stem: 'tracing',
  fields: FIELDS,
  skipped: 'skipped_by_tool_design',
  ready: 'tracing_complete',
  expert: 'none',
  prompt: '',
  actions(view) {
    const { trace_mode: mode } = view.args;
    if (mode === 'ask') return CHOOSE;
    return (mode === 'precision' ? PRECISION : DEPENDENCIES)[stageOf(view)];
  },
  hold: ({ args }) =>
    args.trace_mode === 'ask'
      ? {
          status: 'mode_selection_required',
          actions: CHOOSE,
          note: 'What is to be traced: the calls of a function (precision), or the ties of a module (dependencies)?',
          // A step without a mode found nothing, so it does not count.
          arguments: {
            trace_mode: '<precision or dependencies>',
            step_number: args.step_number,
            total_steps: args.total_steps,
            backtrack_from_step: args.step_number,
          },
        }
      : undefined,
};
