/**
 * Whether an Accept header allows a media type: by name, by family or by the wildcard for all, with
 * a quality above zero. The most specific range decides (RFC 9110, 12.5.1).
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return false;
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  let specificity = 0;
  let isAllowed = false;
  for (const range of header.split(',')) {
    const [name = '', ...parameters] = range.split(';');
    const current = specificityOf(name.trim().toLowerCase(), type, family);
    if (current <= specificity) continue;
    specificity = current;
    isAllowed = !parameters.some(isZeroQuality);
  }
  return isAllowed;
}

function specificityOf(range: string, type: string, family: string): number {
  if (range === type) return 3;
  if (range === family) return 2;
  return range === '*/*' ? 1 : 0;
}

function isZeroQuality(parameter: string): boolean {
  return /^\s*q\s*=\s*0(?:\.0{0,3})?\s*$/i.test(parameter);
}

/** Whether a Content-Type is JSON. Its parameters are ignored: the text is always read as UTF-8. */
export function isJson(header: string | undefined): boolean {
  if (header === 'application/json') return true;
  return /^\s*application\/json\s*(?:;|$)/i.test(header ?? '');
}
