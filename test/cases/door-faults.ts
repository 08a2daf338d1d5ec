/**
 * The faults F1 to F16 at the four doors beside plain questions: searches, readers, pictures and tool
 * loops. Pictures and tool loops are chats, so they meet every fault of a chat.
 */

export const DOORS = ['search', 'reader', 'vision', 'loop'] as const;
export type Door = (typeof DOORS)[number];

/** The emulator's fault, after so many events where it breaks something off. */
export interface PlannedFault {
  readonly id: string;
  readonly after?: number;
  readonly with?: Readonly<Record<string, unknown>>;
  /** Of those that can be asked; all unless told. */
  readonly who?: readonly string[];
  /** It needs time to run out. */
  readonly isSilent?: true;
}

type AtDoor = readonly PlannedFault[] | { readonly never: string };

const SAID = 4;
const GLM = ['glm'];
const KIMI = ['kimi'];
const ROUTER = ['openrouter'];

const LIMITS: readonly PlannedFault[] = [
  { id: 'F1' },
  { id: 'F1.daily', who: GLM },
  { id: 'F1.frequency', who: GLM },
  { id: 'F1.fairuse', who: GLM },
];
const MONEY: readonly PlannedFault[] = [
  { id: 'F2' },
  { id: 'F2.plan', who: GLM },
  { id: 'F2.expired', who: GLM },
  { id: 'F2.locked', who: GLM },
  { id: 'F2.budget', who: ROUTER },
];
const LOAD: readonly PlannedFault[] = [
  { id: 'F3' },
  { id: 'F3.busy', who: GLM },
  { id: 'F3.network', who: GLM },
  { id: 'F3.internal', who: GLM },
  { id: 'F3.upstream', who: ROUTER },
];
const GATEWAYS: readonly PlannedFault[] = ['F4.504', 'F4.502', 'F4.500', 'F4.503'].map((id) => ({
  id,
}));
/** Of an answer that is one JSON. */
const BROKEN_BODY: readonly PlannedFault[] = [
  { id: 'F5.reset' },
  { id: 'F5.cutbody' },
  { id: 'F5.lengthlong' },
  { id: 'F5.end', after: 0 },
  { id: 'F5.silent', isSilent: true },
];
const BROKEN_STREAM: readonly PlannedFault[] = [
  { id: 'F5.reset' },
  { id: 'F5.cut', after: 0 },
  { id: 'F5.cut', after: SAID },
  { id: 'F5.end', after: SAID },
  { id: 'F5.nodone' },
  { id: 'F5.silent', isSilent: true },
  { id: 'F5.headers', isSilent: true },
  { id: 'F5.stall', after: SAID, isSilent: true },
];
const FRAMES_OF_BODY: readonly PlannedFault[] = ['F6.split', 'F6.bom', 'F6.malformed'].map(
  (id) => ({
    id,
  }),
);
const FRAMES_OF_STREAM: readonly PlannedFault[] = [
  'F6.split',
  'F6.burst',
  'F6.crlf',
  'F6.comments',
  'F6.bom',
  'F6.multiline',
  'F6.nospace',
  'F6.fields',
  'F6.nonewline',
  'F6.nochoices',
  'F6.role',
].map((id) => ({ id }));
const USAGE: readonly PlannedFault[] = ['F7.choice', 'F7.top', 'F7.missing'].map((id) => ({
  id,
  who: [...KIMI, ...ROUTER],
}));
const CALLS: readonly PlannedFault[] = [
  'F8.interleaved',
  'F8.noid',
  'F8.noindex',
  'F8.object',
  'F8.truncated',
  'F8.text',
  'F8.unknown',
  'F8.duplicate',
  'F8.concatenated',
  'F8.stopfinish',
].map((id) => ({ id, who: KIMI }));
const GONE: readonly PlannedFault[] = [{ id: 'F10', who: [...KIMI, ...GLM] }];
const REFUSED: readonly PlannedFault[] = [
  { id: 'F11.error' },
  { id: 'F11.blocked', who: GLM },
  { id: 'F11.moderation', who: ROUTER },
];
const THOUGHTS: readonly PlannedFault[] = [{ id: 'F13', who: KIMI }];
const KEY: readonly PlannedFault[] = [{ id: 'F16' }];

const PREVENTED = 'a rule of Kimi’s that its adapter keeps: provider-rules.test.ts';
const NO_JSON = 'no JSON is asked of a model here';
const NO_UPLOAD = 'nothing is uploaded; scans are in file-tools-faults.test.ts';
const KIMI_SEARCH = 'only Kimi’s own search has rounds: search-functions.test.ts';

export const DOOR_FAULTS: Readonly<Record<string, Readonly<Record<Door, AtDoor>>>> = {
  F1: { search: LIMITS, reader: LIMITS, vision: LIMITS, loop: LIMITS },
  F2: { search: MONEY, reader: MONEY, vision: MONEY, loop: MONEY },
  F3: { search: LOAD, reader: LOAD, vision: LOAD, loop: LOAD },
  F4: { search: GATEWAYS, reader: GATEWAYS, vision: GATEWAYS, loop: GATEWAYS },
  F5: { search: BROKEN_BODY, reader: BROKEN_BODY, vision: BROKEN_STREAM, loop: BROKEN_STREAM },
  F6: {
    search: FRAMES_OF_BODY,
    reader: FRAMES_OF_BODY,
    vision: FRAMES_OF_STREAM,
    loop: FRAMES_OF_STREAM,
  },
  F7: {
    search: { never: 'a search of GLM has a price, and no usage' },
    reader: { never: 'a page has a price, and no usage' },
    vision: USAGE,
    loop: USAGE,
  },
  F8: {
    search: { never: 'a service calls no tools' },
    reader: { never: 'a service calls no tools' },
    vision: { never: 'no tools are offered' },
    loop: CALLS,
  },
  F9: {
    search: { never: PREVENTED },
    reader: { never: PREVENTED },
    vision: { never: PREVENTED },
    loop: { never: PREVENTED },
  },
  F10: { search: GONE, reader: GONE, vision: GONE, loop: GONE },
  F11: { search: REFUSED.slice(1), reader: REFUSED.slice(1), vision: REFUSED, loop: REFUSED },
  F12: {
    search: { never: NO_JSON },
    reader: { never: NO_JSON },
    vision: { never: NO_JSON },
    loop: { never: NO_JSON },
  },
  F13: {
    search: { never: 'a service does not think' },
    reader: { never: 'a service does not think' },
    vision: THOUGHTS,
    loop: THOUGHTS,
  },
  F14: {
    search: { never: KIMI_SEARCH },
    reader: { never: KIMI_SEARCH },
    vision: [{ id: 'F14', who: KIMI }],
    loop: [{ id: 'F14', who: KIMI }],
  },
  F15: {
    search: { never: NO_UPLOAD },
    reader: { never: NO_UPLOAD },
    vision: [{ id: 'F15.413' }],
    loop: [{ id: 'F15.413' }],
  },
  F16: { search: KEY, reader: KEY, vision: KEY, loop: KEY },
};

/** The faults of a door that a vendor has. */
export function doorFaults(door: Door, vendor: string): readonly PlannedFault[] {
  return Object.values(DOOR_FAULTS).flatMap((row) => {
    const cell = row[door];
    return 'never' in cell ? [] : cell.filter(({ who = [vendor] }) => who.includes(vendor));
  });
}
