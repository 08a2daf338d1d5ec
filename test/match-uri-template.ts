import { parseUriTemplate } from '#calls/content-callables.ts';

/** The variables of a URI that fits a template; undefined if it does not fit. */
export function matchUriTemplate(
  template: string,
  uri: string,
): Readonly<Record<string, string>> | undefined {
  return parseUriTemplate(template).match(uri);
}
