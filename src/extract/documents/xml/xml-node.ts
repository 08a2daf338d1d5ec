/** An XML element by its local name; prefixes differ between writers. */
export class XmlElement {
  readonly name: string;
  /** Qualified names and values by turns; `undefined` without attributes. */
  readonly attributes: readonly string[] | undefined;
  children: XmlNode[] = [];

  constructor(name: string, attributes: readonly string[] | undefined) {
    this.name = name;
    this.attributes = attributes;
  }

  /** The value of the attribute with this local name; one without a prefix comes first. */
  get(name: string): string | undefined {
    const { attributes } = this;
    if (attributes === undefined) return undefined;
    let prefixed: string | undefined;
    for (let i = 0; i < attributes.length; i += 2) {
      const own = attributes[i] as string;
      if (own === name) return attributes[i + 1];
      if (own.length > name.length && own.endsWith(name) && own.at(-name.length - 1) === ':')
        prefixed ??= attributes[i + 1];
    }
    return prefixed;
  }

  /** Only the attribute that has a prefix, such as `r:id` beside `id`. */
  getPrefixed(name: string): string | undefined {
    const { attributes } = this;
    if (attributes === undefined) return undefined;
    for (let i = 0; i < attributes.length; i += 2)
      if (attributes[i]?.endsWith(`:${name}`) === true) return attributes[i + 1];
    return undefined;
  }

  /** The first child element of this name. */
  child(name: string): XmlElement | undefined {
    for (const child of this.children)
      if (typeof child !== 'string' && child.name === name) return child;
    return undefined;
  }

  /** The element at the end of a path of first children. */
  path(...names: readonly string[]): XmlElement | undefined {
    const [first, ...rest] = names;
    if (first === undefined) return this;
    return this.child(first)?.path(...rest);
  }

  elements(name?: string): XmlElement[] {
    const found: XmlElement[] = [];
    for (const child of this.children)
      if (typeof child !== 'string' && (name === undefined || child.name === name))
        found.push(child);
    return found;
  }

  /**
   * All elements of this name below, in document order; not those inside of a match, nor in
   * `mc:Fallback`, which repeats its alternative.
   */
  descendants(name: string): XmlElement[] {
    const found: XmlElement[] = [];
    collect(this, name, found);
    return found;
  }

  /** All text below. */
  text(): string {
    let text = '';
    for (const child of this.children) text += typeof child === 'string' ? child : child.text();
    return text;
  }
}

export type XmlNode = XmlElement | string;

function collect(element: XmlElement, name: string, found: XmlElement[]): void {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (child.name === name) found.push(child);
    else if (child.name !== 'Fallback') collect(child, name, found);
  }
}
