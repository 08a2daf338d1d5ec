/** From so many steps on a plan is a large one, whose beginning is worth more thought than its end. */
const LARGE_FROM = 5;
const EARLY_STEPS = 3;

export type Pause = 'pause_for_deep_thinking' | 'pause_for_planning';

export function pauseOf(stepNumber: number, totalSteps: number): Pause {
  const isEarly = stepNumber <= EARLY_STEPS && totalSteps >= LARGE_FROM;
  return isEarly ? 'pause_for_deep_thinking' : 'pause_for_planning';
}

/** What to do before the next step is told. */
export function requiredActions(pause: Pause, stepNumber: number): readonly string[] {
  if (pause === 'pause_for_planning') {
    return [
      'Check that the step you just told still fits the ones before it; revise those that it changes.',
      'Work out the next step in detail: what is done, in which order, what it needs and how one sees that it worked.',
      'If there are two ways worth following, tell each as a branch.',
    ];
  }
  return EARLY[stepNumber - 1] ?? [];
}

const EARLY: readonly (readonly string[])[] = [
  [
    'Stop before you plan on, and write down what the goal is, who needs it, and how one will know that it is reached.',
    'List what limits the work: time, people, systems that must not change, what is not known yet.',
    'Think of at least two ways to get there that differ in kind, and what each would cost if it proved wrong.',
  ],
  [
    'Name the riskiest assumption of the plan so far, and how to test it early.',
    'Look for what the parts depend on, and which of them can only be done in a certain order.',
    'Decide which way to follow and why; tell another way worth keeping as a branch.',
  ],
  [
    'Check the plan so far against the goal: what is missing, what is there that nobody needs.',
    'Consider what happens when a step fails: how it is noticed, and how one gets back.',
    'From here on make the steps concrete: each with a result that can be seen.',
  ],
];
