/** Promises about tokens, files, foreign repositories, foreign input and what it may cost. */
export const SECURITY_REQUIREMENTS = {} as const;
