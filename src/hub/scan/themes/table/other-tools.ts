import type { ThemeTable } from '../theme.ts';

/** Tools of others, and the tool among them. */
export const OTHER_TOOL_THEMES = {
  other_tool_called: { weight: 2, parts: [['call', 'order!'], ['otherName']], within: 5 },
  peer_as_moment: {
    weight: 10,
    parts: [['moment', 'every'], ['peerTool']],
    within: 6,
    isOrdered: true,
  },
  other_tool_as_moment: {
    weight: 3,
    parts: [
      ['moment', 'every'],
      ['otherName', 'otherTool'],
    ],
    within: 6,
    isOrdered: true,
  },
  peer_changed: {
    weight: 10,
    parts: [
      ['peerTool'],
      ['must', 'change', 'insert', 'redirected', 'order!'],
      ['address', 'quoteMark', 'argument', 'ownTool', 'otherName'],
    ],
    within: 12,
  },
  other_tool_changed: {
    weight: 2,
    parts: [
      ['otherName', 'otherTool'],
      ['redirected', 'change', 'insert'],
      ['address', 'quoteMark'],
    ],
    within: 10,
  },
  other_tool_hooked: {
    weight: 7,
    parts: [['whenever'], ['otherName'], ['change', 'send', 'redirected']],
    within: 10,
    isOrdered: true,
  },
  peer_server: { weight: 5, parts: [['peerServer', 'peerTool']], within: 0 },
  other_server: { weight: 3, parts: [['otherTool', 'anyTool']], within: 0, except: ['ownServer'] },
  before_every_tool: {
    weight: 9,
    parts: [['before'], ['anyTool', 'otherTool']],
    within: 4,
    isOrdered: true,
    except: ['ownServer'],
  },
  others_denigrated: {
    weight: 10,
    parts: [['otherTool', 'peerServer', 'peerTool'], ['denigrated']],
    within: 12,
  },
  name_denigrated: { weight: 8, parts: [['otherName'], ['denigrated'], ['be']], within: 6 },
  others_avoided: {
    weight: 6,
    parts: [
      ['call', 'insert', 'run'],
      ['otherTool', 'peerServer', 'peerTool', 'anyTool'],
    ],
    within: 6,
    isNegative: true,
    isOrdered: true,
    except: ['ownServer'],
  },
  all_through_this: {
    weight: 6,
    parts: [['every'], ['request'], ['must'], ['thisTool']],
    within: 10,
    isOrdered: true,
    except: ['ownServer'],
  },
  only_this_tool: {
    weight: 3,
    parts: [['prefer', 'call'], ['ownTool', 'thisTool'], ['otherTool']],
    within: 9,
  },
  tools_at_hand: {
    weight: 6,
    except: ['inSchema'],
    parts: [['send', 'run', 'call', 'insert', 'destroy'], ['toolKind']],
    within: 14,
    purposes: ['tool'],
  },
} as const satisfies ThemeTable;
