/**
 * Whether an Accept header allows a type: by its name, by its family or as one of all, unless with a quality of zero. What
 * names it most closely decides (RFC 9110, 12.5.1).
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return false;
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  let closeness = 0;
  let isAllowed = false;
  for (const range of header.split(',')) {
    const [name = '', ...parameters] = range.split(';');
    const close = closenessOf(name.trim().toLowerCase(), type, family);
    if (close <= closeness) continue;
    closeness = close;
    isAllowed = !parameters.some(isZeroQuality);
  }
  return isAllowed;
}

function closenessOf(range: string, type: string, family: string): number {
  if (range === type) return 3;
  if (range === family) return 2;
  return range === '*/*' ? 1 : 0;
}

function isZeroQuality(parameter: string): boolean {
  return /^\s*q\s*=\s*0(?:\.0{0,3})?\s*$/i.test(parameter);
}

/** Whether a Content-Type is JSON; its parameters may say what they like, the text is read as UTF-8. */
export function isJson(header: string | undefined): boolean {
  if (header === 'application/json') return true;
  return /^\s*application\/json\s*(?:;|$)/i.test(header ?? '');
}
