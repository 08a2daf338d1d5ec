/** The IANA time zone of the machine, or UTC where it is not known. */
export function systemTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat('en').resolvedOptions();
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // Intl throws a RangeError for an unknown zone.
    return false;
  }
}
