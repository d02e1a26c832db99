const TASKS = 'the tasks extension (io.modelcontextprotocol/tasks) is not served'

/** Scenarios that are not scored and are not expected to pass, with the reason. A scored one cannot be left out. */
export const leftOut = {
  'tasks-lifecycle': TASKS,
  'tasks-capability-negotiation': TASKS,
  'tasks-wire-fields': TASKS,
  'tasks-request-state-removal': TASKS,
  'tasks-mrtr-input': TASKS,
  'tasks-request-headers': TASKS,
  'tasks-dispatch-and-envelope': TASKS,
  'tasks-status-notifications': `${TASKS}; the suite skips it whatever a server does`,
  'tasks-required-task-error': TASKS,
  'tasks-mrtr-composition': TASKS,
}

/** Checks that may end in a warning, with the reason. Never in a failure. */
export const excused = {
  'sep-2322-ignore-unexpected-params':
    'the suite answers a question that was not asked yet, without the requestState that a client must send with an ' +
    'answer; such an answer is ignored, and the question is asked',
}
