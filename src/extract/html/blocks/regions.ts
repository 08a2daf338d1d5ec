import type { ElementNode } from '../tree/node.ts';

/** Parts of a page that HTML or ARIA name. */
export const REGIONS = [
  'main',
  'article',
  'navigation',
  'header',
  'footer',
  'aside',
  'form',
  'dialog',
  'list',
  'figure',
  'table',
  'section',
] as const;

export type Region = (typeof REGIONS)[number];

export function regionBit(region: Region): number {
  return 1 << REGIONS.indexOf(region);
}

const BY_NAME: Readonly<Record<string, Region>> = {
  main: 'main',
  article: 'article',
  nav: 'navigation',
  menu: 'navigation',
  header: 'header',
  footer: 'footer',
  aside: 'aside',
  form: 'form',
  dialog: 'dialog',
  ul: 'list',
  ol: 'list',
  dl: 'list',
  figure: 'figure',
  table: 'table',
  section: 'section',
};

const BY_ROLE: Readonly<Record<string, Region>> = {
  main: 'main',
  article: 'article',
  navigation: 'navigation',
  menu: 'navigation',
  menubar: 'navigation',
  banner: 'header',
  contentinfo: 'footer',
  complementary: 'aside',
  search: 'form',
  dialog: 'dialog',
  alertdialog: 'dialog',
};

/** The bits of an element: a role wins over a name. */
export function regionOf(element: ElementNode): number {
  const role = element.get('role');
  const region =
    (role !== undefined && Object.hasOwn(BY_ROLE, role) ? BY_ROLE[role] : undefined) ??
    (Object.hasOwn(BY_NAME, element.name) ? BY_NAME[element.name] : undefined);
  return region === undefined ? 0 : regionBit(region);
}
