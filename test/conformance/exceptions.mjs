/** Scenarios that are not scored and are not expected to pass, with the reason. A scored one cannot be left out. */
export const leftOut = {
  'tasks-status-notifications': 'the suite skips it whatever a server does',
}

/** Checks that may end in a warning, with the reason. Never in a failure. */
export const excused = {
  'sep-2322-ignore-unexpected-params':
    'the suite answers a question that was not asked yet, without the requestState that a client must send with an ' +
    'answer; such an answer is ignored, and the question is asked',
}
