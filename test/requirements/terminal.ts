/** Promises about what is shown on a terminal. */
export const TERMINAL_REQUIREMENTS = {
  'cli:markdown':
    'On a terminal answers are rendered Markdown as they stream: all of their words, once, at the width of the window.',
} as const;
