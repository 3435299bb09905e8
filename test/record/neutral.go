package main

import (
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
)

// neutral takes out what the machine of the recording and the server's own bookkeeping left: the machine's name in sticky
// queues, the checksum of the program, ids of requests and of the server's tasks. No workflow code can see any of it.
func neutral(h *historypb.History) *historypb.History {
	for _, e := range h.Events {
		e.TaskId = 0
		if a := e.GetWorkflowTaskScheduledEventAttributes(); a != nil {
			sticky(a.TaskQueue)
		}
		if a := e.GetWorkflowTaskStartedEventAttributes(); a != nil {
			a.RequestId, a.WorkerVersion = "", nil
		}
		if a := e.GetWorkflowTaskCompletedEventAttributes(); a != nil {
			a.WorkerVersion, a.MeteringMetadata = nil, nil
		}
		if a := e.GetActivityTaskStartedEventAttributes(); a != nil {
			a.RequestId, a.WorkerVersion = "", nil
		}
	}
	return h
}

func sticky(q *taskqueuepb.TaskQueue) {
	if q.GetKind() == enumspb.TASK_QUEUE_KIND_STICKY {
		q.Name = "sticky"
	}
}
