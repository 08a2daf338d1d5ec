import type { Json } from '#core/json.ts';

/** A JSON value that remembers where in the text it stands; `at` counts characters from the start. */
export type JsonNode = JsonObject | JsonArray | JsonScalar;

export interface JsonObject {
  readonly type: 'object';
  readonly at: number;
  /** A Map, so that a key such as `__proto__` is a key like any other. */
  readonly members: ReadonlyMap<string, JsonMember>;
}

export interface JsonMember {
  readonly keyAt: number;
  readonly node: JsonNode;
}

export interface JsonArray {
  readonly type: 'array';
  readonly at: number;
  readonly items: readonly JsonNode[];
}

export interface JsonScalar {
  readonly type: 'scalar';
  readonly at: number;
  readonly value: string | number | boolean | null;
}

export function toJson(node: JsonNode): Json {
  switch (node.type) {
    case 'scalar':
      return node.value;
    case 'array':
      return node.items.map(toJson);
    case 'object':
      // Object.fromEntries defines each key as its own property, `__proto__` included.
      return Object.fromEntries(
        [...node.members].map(([key, member]) => [key, toJson(member.node)]),
      );
  }
}
