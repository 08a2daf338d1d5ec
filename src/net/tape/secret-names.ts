export const SECRET_HEADER = /auth|cookie|token|secret|key|session|signature|credential|password/i;
export const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|session|credential|^code$/i;
export const SECRET_FIELD =
  /^(?:api[-_]?key|authorization|(?:access|refresh|id)[-_]?token|(?:client[-_]?)?secret|password)$/i;
