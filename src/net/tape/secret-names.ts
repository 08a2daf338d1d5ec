export const SECRET_HEADER = /auth|cookie|token|secret|key|session|signature|credential|password/i;
export const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|session|credential|^code$/i;
export const SECRET_FIELD =
  /^(?:(?:x[-_])?api[-_]?key|authorization|(?:(?:access|refresh|id|session|auth|bearer)[-_]?)?token|(?:client[-_]?)?secret|private[-_]?key|password|credentials?)$/i;
