/** Whether a host name or address of a URL reaches this machine only, without a name lookup. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return /^127(?:\.\d{1,3}){3}$/.test(name);
}
