// Whether a message asks for progress: `activity.v1` among its capabilities, and a valid requestId. One without the
// other counts as neither.

const capability = 'activity.v1'
const requestIdForm = /^[A-Za-z0-9._:-]{1,80}$/

/** The turn's identifier where progress was negotiated, else null: the plain stream. */
export function readRequestId({ capabilities, requestId }: Record<string, unknown>): string | null {
  const isAsked = Array.isArray(capabilities) && capabilities.includes(capability)
  return isAsked && typeof requestId === 'string' && requestIdForm.test(requestId) ? requestId : null
}
