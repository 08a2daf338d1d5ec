/** How programs begin the line that says why they end: `Error: …`, `ModuleNotFoundError: …`, `panic: …`. */
const ERROR_LINE = /^(?:uncaught )?(?:[\w.]{0,80}(?:error|exception)|fatal|panic)\b[^:]{0,40}:/i;
/** A stack and what follows it; an earlier error may not be why a program ends. */
const LINES = 25;

/** Keeps the line of what a program writes that tells most about its end: its last error, or else its last line. */
export function createErrorLine() {
  let error = '';
  let last = '';
  let linesAfter = 0;
  return {
    push(line: string): void {
      const text = line.trim();
      if (text === '') return;
      last = text;
      linesAfter += 1;
      if (!ERROR_LINE.test(text)) return;
      error = text;
      linesAfter = 0;
    },
    /** Empty where it wrote nothing. */
    text: (): string => (error !== '' && linesAfter <= LINES ? error : last),
  };
}
