/** Promises about the programs that call, and about states in which asking fails. */
export const CLIENT_REQUIREMENTS = {
  'usage:clients':
    'Usage, audit and log name the program of each call, as bounded and clean data that access never depends on.',
  'states:told':
    'What keeps a model from answering is told by ask, status and doctor, each with the command that helps.',
} as const;
