from cursor_sdk_sync import Agent

with Agent.create(model="composer-2.5", local={"cwd": "."}) as agent:
    run = agent.send("What does this project do?")
    for piece in run.iter_text():
        print(piece, end="", flush=True)
    result = run.wait()
    print(f"\n{result.status}, {result.duration_ms} ms, {result.usage}")
